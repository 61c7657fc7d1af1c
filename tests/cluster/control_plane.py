"""The real control plane: etcd, kube-apiserver, kube-controller-manager, kube-scheduler."""

import subprocess

from layout import FIRST_SERVICE_ADDRESS, SERVICE_SUBNET
from progress import ClusterError, say


class Kubectl:
    """kubectl as the cluster's administrator."""

    def __init__(self, layout):
        self.words = [
            str(layout.program("kubectl")),
            "--kubeconfig",
            str(layout.kubeconfig),
            "--request-timeout=10s",
        ]

    def run(self, *words, given=None):
        done = subprocess.run([*self.words, *words], input=given, capture_output=True, text=True)
        if done.returncode != 0:
            raise ClusterError(f"kubectl {' '.join(words)} failed: {done.stderr.strip()}")
        return done.stdout

    def succeeds(self, *words):
        return subprocess.run([*self.words, *words], capture_output=True).returncode == 0


def start(layout, processes, feature_gates=None, runtime_config=None):
    """Returns when the API answers and namespaces get their service accounts (usually 5 s)."""
    kubectl = Kubectl(layout)
    gates = [f"--feature-gates={feature_gates}"] if feature_gates else []
    apis = [f"--runtime-config={runtime_config}"] if runtime_config else []
    processes.start("etcd", _etcd(layout))
    processes.start("kube-apiserver", _apiserver(layout) + gates + apis)
    say("etcd, kube-apiserver: starting (usually 4 s)")
    processes.wait_ready("kube-apiserver", lambda: kubectl.succeeds("get", "--raw", "/readyz"), 90)
    processes.start("kube-controller-manager", _controller_manager(layout) + gates)
    processes.start("kube-scheduler", _scheduler(layout) + gates)
    say("kube-controller-manager, kube-scheduler: starting (usually 2 s)")
    has_account = lambda: kubectl.succeeds("get", "serviceaccount", "default")  # noqa: E731
    processes.wait_ready("kube-controller-manager", has_account, 60)


def _etcd(layout):
    client, peer = (
        f"http://127.0.0.1:{port}" for port in (layout.etcd_port, layout.etcd_peer_port)
    )
    return [
        layout.program("etcd"),
        f"--data-dir={layout.folder}/etcd",
        f"--listen-client-urls={client}",
        f"--advertise-client-urls={client}",
        f"--listen-peer-urls={peer}",
        f"--initial-advertise-peer-urls={peer}",
        f"--initial-cluster=default={peer}",
        "--unsafe-no-fsync",  # the data need not survive a power cut
        "--quota-backend-bytes=8589934592",
        "--log-level=warn",
    ]


def _apiserver(layout):
    pki = layout.pki
    words = [
        layout.program("kube-apiserver"),
        f"--etcd-servers=http://127.0.0.1:{layout.etcd_port}",
        f"--bind-address={layout.address}",
        f"--secure-port={layout.api_port}",
        f"--tls-cert-file={pki}/apiserver.crt",
        f"--tls-private-key-file={pki}/apiserver.key",
        f"--client-ca-file={pki}/ca.crt",
        "--authorization-mode=Node,RBAC",
        "--enable-admission-plugins=NodeRestriction",
        f"--service-cluster-ip-range={SERVICE_SUBNET}",
        "--service-account-issuer=https://kubernetes.default.svc.cluster.local",
        f"--service-account-key-file={pki}/tokens.pub",
        f"--service-account-signing-key-file={pki}/tokens.key",
        f"--kubelet-certificate-authority={pki}/ca.crt",
        f"--kubelet-client-certificate={pki}/apiserver-kubelet-client.crt",
        f"--kubelet-client-key={pki}/apiserver-kubelet-client.key",
        "--kubelet-preferred-address-types=InternalIP",
        "--allow-privileged=true",
        f"--audit-policy-file={layout.configure('audit-policy.yaml')}",
        f"--audit-log-path={layout.folder}/logs/audit.log",
        "--audit-log-maxsize=200",
        "--audit-log-maxbackup=5",
    ]
    # A loopback address is no use as an endpoint of the service `kubernetes`.
    if layout.has_node:
        return words + [f"--advertise-address={layout.address}"]
    return words + ["--endpoint-reconciler-type=none"]


def _controller_manager(layout):
    return [
        layout.program("kube-controller-manager"),
        f"--kubeconfig={layout.pki}/controller-manager.kubeconfig",
        "--use-service-account-credentials",
        f"--root-ca-file={layout.pki}/ca.crt",
        f"--service-account-private-key-file={layout.pki}/tokens.key",
        "--leader-elect=false",
        "--secure-port=0",
        "--kube-api-qps=2000",  # the default of 20 would hide what is measured
        "--kube-api-burst=2000",
    ]


def _scheduler(layout):
    return [
        layout.program("kube-scheduler"),
        f"--config={layout.configure('scheduler.yaml')}",
        "--secure-port=0",
    ]


def api_server_addresses(layout):
    """Every address under which clients know the API server."""
    return [layout.address, FIRST_SERVICE_ADDRESS, "127.0.0.1"]
