"""The rights that the chart gives for gangs: all are used, and no other is needed."""
import pytest

from kube import condition, training_job
from operator_process import Operator
from rights import Rights, kubeconfig_of_the_chart
from test_reliability_gang import KINDS, definitions


@pytest.mark.parametrize("gang", KINDS)
def test_every_right_on_pod_groups_is_used_and_none_is_missing(api_server, api_namespace, gang, tmp_path):
    group, version = KINDS[gang]
    with definitions(api_server, gang):
        kube = api_namespace
        kubeconfig = kubeconfig_of_the_chart(kube, tmp_path, f"gangScheduling.{gang.lower()}=true")
        operator = Operator(f"--kubeconfig={kubeconfig}", f"--namespace={kube.namespace}",
                            integrations=gang.lower())
        kube.apply({"apiVersion": f"{group}/{version}", "kind": "PodGroup", "metadata": {"name": "whole"}, "spec": {}})
        kube.apply(training_job("whole", schedulingPolicy={"gang": gang}))
        kube.wait("the PodGroup to be seen as another's",
                  lambda: "PodGroup whole" in condition(kube.status("whole"), "NameConflict").get("message", ""))
        kube.kubectl("delete", f"podgroups.{group}", "whole")
        kube.wait("its own to be made", lambda: kube.get(f"podgroups.{group}", "whole"))
        assert operator.stop() == 0
        rights = Rights(kube)
        assert rights.refused() == set() and rights.unused(group) == set()
