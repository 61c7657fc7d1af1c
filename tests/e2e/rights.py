"""The operator under exactly the rights that the chart gives it, and what it made of them by the API server's own record."""
from pathlib import Path

import yaml

from conftest import run
from kube import BIN, ROOT

NAME = "lockstep-operator"


class Rights:
    """Those of the chart's service account in one namespace, or in the whole cluster."""

    def __init__(self, kube, namespace=None):
        self.kube = kube
        self.user = f"system:serviceaccount:{namespace or kube.namespace}:{NAME}"

    def granted(self, *kinds):
        """{(verb, resource)} of its roles: "clusterrole/name" or, without a word, those of the chart in the namespace."""
        roles = [self.kube.get(*kind.split("/")) for kind in kinds or (f"role/{NAME}",)]
        return {(verb, f"{resource}.{rule['apiGroups'][0]}".rstrip(".")) for role in roles for rule in role["rules"]
                for resource in rule["resources"] for verb in rule["verbs"]}

    def asked(self):
        """Every request of it: {(verb, resource): RBAC's verdicts}. Admission refuses with 403 too."""
        seen = {}
        for event in self.kube.audited(self.user):
            if event["user"]["username"] != self.user or "objectRef" not in event:
                continue
            target = event["objectRef"]
            resource = target["resource"] + (f"/{target['subresource']}" if "subresource" in target else "")
            kind = f"{resource}.{target.get('apiGroup', '')}".rstrip(".")
            seen.setdefault((event["verb"], kind), set()).add(event["annotations"]["authorization.k8s.io/decision"])
        return seen

    def refused(self):
        return {request for request, verdicts in self.asked().items() if verdicts != {"allow"}}

    def unused(self, group, *kinds):
        """What is granted on resources of that API group, and was never asked for."""
        return {right for right in self.granted(*kinds) if right[1].endswith(f".{group}")} - set(self.asked())


def kubeconfig_of_the_chart(kube, folder, *values):
    """Of a service account with the rights that the chart gives for this namespace under these values."""
    manifest = run(BIN / "helm", "template", "lockstep", ROOT / "charts" / "lockstep", "--namespace", kube.namespace,
                   "--set", ",".join([f"namespaces={{{kube.namespace}}}", *values]), "--show-only", "templates/rbac.yaml")
    kube.kubectl("apply", "-f", "-", stdin=manifest)
    config = yaml.safe_load(Path(kube.kubeconfig).read_text())
    config["users"][0]["user"] = {"token": kube.kubectl("create", "token", NAME).stdout.strip()}
    path = folder / "kubeconfig"
    path.write_text(yaml.safe_dump(config))
    return path
