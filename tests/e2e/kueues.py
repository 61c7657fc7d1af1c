"""Kueue for tests: the real one where it was built, else a small player of the part that the operator relies on."""
import base64
import json
import os
import subprocess
import threading
from datetime import datetime, timezone
from pathlib import Path

from kube import ROOT, condition

API = "kueue.x-k8s.io/v1beta2"
WEBHOOK_PORT = 19443
# Kueue reads a certificate from a fixed path, and runs as root in a container of its own.
IN_ITS_OWN_ETC = """certificates=$1; shift
mount -t tmpfs tmpfs /mnt && mkdir /mnt/above /mnt/work
mount -t overlay overlay -o lowerdir=/etc,upperdir=/mnt/above,workdir=/mnt/work /etc
mkdir -p /etc/kueue/metrics && cp -r "$certificates" /etc/kueue/metrics/certs
exec "$@"
"""
QUOTA = 2  # CPUs: one job of two nodes at a time


def start(kube, folder):
    """LOCKSTEP_KUEUE names a folder that tests/e2e/build_kueue has filled; without it Kueue is played."""
    built = os.environ.get("LOCKSTEP_KUEUE")
    return RealKueue(kube, Path(built), folder) if built else PlayedKueue(kube)


def queue(kube):
    """A queue called `vision` in the namespace, over machines with the label machine=spot and a taint."""
    covered = {"coveredResources": ["cpu"], "flavors": [
        {"name": "spot", "resources": [{"name": "cpu", "nominalQuota": QUOTA}]}]}
    return [
        {"apiVersion": API, "kind": "ResourceFlavor", "metadata": {"name": "spot"},
         "spec": {"nodeLabels": {"machine": "spot"},
                  "tolerations": [{"key": "spot", "operator": "Exists", "effect": "NoSchedule"}]}},
        {"apiVersion": API, "kind": "WorkloadPriorityClass", "metadata": {"name": "urgent"}, "value": 100},
        {"apiVersion": API, "kind": "ClusterQueue", "metadata": {"name": "all"},
         "spec": {"namespaceSelector": {}, "resourceGroups": [covered],
                  "preemption": {"withinClusterQueue": "LowerPriority"}}},
        {"apiVersion": API, "kind": "LocalQueue", "metadata": {"name": "vision", "namespace": kube.namespace},
         "spec": {"clusterQueue": "all"}}]


def is_true(workload, kind):
    return condition(workload.get("status", {}), kind).get("status") == "True"


class PlayedKueue:
    """Admits by priority, evicts the lower when the higher waits, and trusts that evicted jobs give quota back."""

    def __init__(self, kube):
        self.kube = kube
        kube.kubectl("apply", "--server-side", "-f", str(ROOT / "tests" / "e2e" / "kueue_crds.yaml"))
        for plural in ("workloads", "resourceflavors", "workloadpriorityclasses"):
            kube.kubectl("wait", "--for=condition=Established", f"crd/{plural}.kueue.x-k8s.io", "--timeout=30s")
        self.stopping = threading.Event()
        self.inside = None
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def open_queue(self, inside):
        inside.apply(*[o for o in queue(inside) if not o["kind"].endswith("Queue")])
        self.inside = inside

    def stop(self):
        self.stopping.set()
        self.thread.join()

    def _run(self):
        while not self.stopping.wait(0.2):
            if self.inside is None:
                continue
            workloads = [w for w in self.inside.get("workloads.kueue.x-k8s.io") if not is_true(w, "Finished")]
            for workload in workloads:
                if workload["spec"].get("active") is False and not is_true(workload, "Evicted"):
                    self._evict(workload, "Deactivated", "The workload is deactivated")
            self._schedule([w for w in workloads if w["spec"].get("active") is not False])

    def _schedule(self, workloads):
        holding = [w for w in workloads if is_true(w, "QuotaReserved")]
        waiting = [w for w in workloads if not is_true(w, "QuotaReserved")]
        waiting.sort(key=lambda w: (-w["spec"].get("priority", 0), w["metadata"]["creationTimestamp"]))
        free = QUOTA - sum(self._size(w) for w in holding)
        for workload in waiting[:1]:
            if self._size(workload) <= free:
                return self._admit(workload)
            lower = [w for w in holding if w["spec"].get("priority", 0) < workload["spec"].get("priority", 0)]
            for victim in lower[:1]:
                if not is_true(victim, "Evicted"):
                    self._evict(victim, "Preempted", f"Preempted to accommodate {workload['metadata']['name']}")

    @staticmethod
    def _size(workload):
        return sum(s["count"] for s in workload["spec"]["podSets"])

    def _admit(self, workload):
        assignments = [{"name": s["name"], "flavors": {"cpu": "spot"}, "count": s["count"]}
                       for s in workload["spec"]["podSets"]]
        changes = {"QuotaReserved": ("True", "QuotaReserved", ""), "Admitted": ("True", "Admitted", "")}
        if is_true(workload, "Evicted"):
            changes["Evicted"] = ("False", "QuotaReserved", "Previously: evicted")
        self._write(workload, changes, {"admission": {"clusterQueue": "all", "podSetAssignments": assignments}})

    def _evict(self, workload, reason, message):
        self._write(workload, {"Evicted": ("True", reason, message)}, {})

    def _write(self, workload, changes, status):
        """Conditional on the version that was seen: where the operator wrote first, the next look decides anew."""
        now = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        kept = [c for c in workload.get("status", {}).get("conditions", []) if c["type"] not in changes]
        added = [{"type": kind, "status": value, "reason": reason, "message": message, "lastTransitionTime": now}
                 for kind, (value, reason, message) in changes.items()]
        patch = {"metadata": {"resourceVersion": workload["metadata"]["resourceVersion"]},
                 "status": {"conditions": kept + added, **status}}
        self.inside.kubectl("patch", "workloads.kueue.x-k8s.io", workload["metadata"]["name"], "--subresource=status",
                            "--type=merge", "-p", json.dumps(patch), check=False)


class RealKueue:
    """Kueue's own manager as a process of this machine, with its own definitions and its check of Workloads."""

    def __init__(self, kube, built, folder):
        self.kube = kube
        kube.kubectl("apply", "--server-side", "-f", str(built / "src" / "config" / "components" / "crd" / "bases"))
        kube.kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=30s")
        kube.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kueue-system"}})
        certificates = folder / "certificates"
        certificates.mkdir()
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=kueue",
                        "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", certificates / "tls.key",
                        "-out", certificates / "tls.crt"], check=True, capture_output=True)
        config = folder / "kueue.yaml"
        config.write_text(json.dumps({
            "apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration", "namespace": "kueue-system",
            "health": {"healthProbeBindAddress": "127.0.0.1:0"}, "metrics": {"bindAddress": "0"},
            "webhook": {"host": "127.0.0.1", "port": WEBHOOK_PORT, "certDir": str(certificates)},
            "leaderElection": {"leaderElect": False}, "internalCertManagement": {"enable": False},
            "integrations": {"frameworks": ["batch/job"], "externalFrameworks": ["TrainingJob.v1alpha1.lockstep.dev"]}}))
        self.log = (folder / "kueue.log").open("w")
        self.process = subprocess.Popen(
            ["unshare", "--mount", "sh", "-euc", IN_ITS_OWN_ETC, "sh", certificates, built / "kueue", f"--config={config}",
             "--feature-gates=VisibilityOnDemand=false"],
            stdout=self.log, stderr=subprocess.STDOUT, env={**os.environ, "KUBECONFIG": kube.kubeconfig})
        kube.apply(self._check_of_workloads((certificates / "tls.crt").read_bytes()))

    @staticmethod
    def _check_of_workloads(authority):
        """Kueue's own validation, which its installation registers under the name of a Service."""
        rule = {"apiGroups": ["kueue.x-k8s.io"], "apiVersions": ["v1beta2"], "operations": ["CREATE", "UPDATE"],
                "resources": ["workloads", "workloads/status"]}
        check = {"name": "vworkload.kb.io", "admissionReviewVersions": ["v1"], "sideEffects": "None", "rules": [rule],
                 "clientConfig": {"url": f"https://127.0.0.1:{WEBHOOK_PORT}/validate-kueue-x-k8s-io-v1beta2-workload",
                                  "caBundle": base64.b64encode(authority).decode()}}
        return {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
                "metadata": {"name": "kueue"}, "webhooks": [check]}

    def open_queue(self, inside):
        inside.apply(*queue(inside))
        ready = "jsonpath={.status.conditions[?(@.type=='Active')].status}"
        self.kube.wait("the queue to be active", lambda: self.kube.kubectl(
            "get", "clusterqueue", "all", "-o", ready, check=False).stdout == "True", seconds=60)

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.log.close()
