"""Least rights: what the chart grants is what the operator uses, by the API server's own record of a whole run.

Runs last of the files on the real node: the record is that of all of them.
"""
from kube import training_job
from rights import Rights

RESTRICTED = {"runAsNonRoot": True, "allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]},
              "seccompProfile": {"type": "RuntimeDefault"}}


def squat(kube, name):
    """Objects of somebody else under the names that a job needs."""
    nobody = {"app": "nobody"}
    kube.apply({"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": {"clusterIP": "None", "selector": nobody}},
               {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": {"name": name},
                "spec": {"podSelector": {"matchLabels": nobody}}},
               {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"{name}-0"}, "spec": {
                   "schedulingGates": [{"name": "lockstep.dev/never"}],
                   "containers": [{"name": "idle", "image": "idle", "securityContext": RESTRICTED}]}})


def says_taken(kube, job, what):
    return lambda: any(what in c["message"] for c in kube.status(job).get("conditions", []) if c["type"] == "NameConflict")


def test_every_right_is_used_and_none_is_missing(cluster, kube):
    squat(kube, "brief")
    kube.apply(training_job("brief", command=["lockstep-launch", "--"], args=["true"], runPolicy={"ttlSecondsAfterFinished": 0}))
    kube.wait("the Service to be seen as another's", says_taken(kube, "brief", "Service brief"))
    kube.kubectl("delete", "service", "brief")
    kube.wait("the policy to be seen as another's", says_taken(kube, "brief", "NetworkPolicy brief"), seconds=60)
    kube.kubectl("delete", "networkpolicy", "brief")
    kube.wait("the pod to be seen as another's", says_taken(kube, "brief", "Pod brief-0"), seconds=60)
    kube.kubectl("delete", "pod", "brief-0", "--force", "--grace-period=0")
    kube.wait("the job to run, end and be deleted", lambda: kube.job("brief") is None, seconds=120)

    kube.apply(training_job("paused", command=["lockstep-launch", "--"], args=["sleep", "600"]))
    kube.wait_phase("paused", "Running")
    kube.kubectl("patch", "tj", "paused", "--type=merge", "-p", '{"spec":{"runPolicy":{"suspend":true}}}')
    kube.wait("its pod to be deleted", lambda: not kube.pods("paused"))

    rights = Rights(kube, "lockstep-system")
    granted, requests = rights.granted("clusterrole/lockstep-operator"), set(rights.asked())
    assert rights.refused() == set()
    assert granted - requests == set(), "granted and never used"
    assert requests - granted == set(), "used and granted by something else"
