"""Certificates and kubeconfigs of one cluster, made with openssl and signed by one authority."""

import base64
import subprocess

from progress import ClusterError

CLIENTS = {  # file name: (user, group), as Kubernetes' bootstrap roles expect them
    "admin": ("kubernetes-admin", "system:masters"),
    "apiserver-kubelet-client": ("kube-apiserver-kubelet-client", "system:masters"),
    "controller-manager": ("system:kube-controller-manager", None),
    "scheduler": ("system:kube-scheduler", None),
}


def _openssl(*words):
    done = subprocess.run(["openssl", *map(str, words)], capture_output=True, text=True)
    if done.returncode != 0:
        raise ClusterError(f"openssl {words[0]} failed: {done.stderr.strip()}")


class Pki:
    """The folder pki/ of a cluster. Keys are readable by the owner only."""

    def __init__(self, folder, server):
        self.folder = folder
        self.server = server

    def create(self, addresses):
        """Makes the authority, the API server's certificate, the clients and the token key."""
        self.folder.mkdir(mode=0o700, parents=True)
        self._certificate(
            "ca", "lockstep-test", None, "basicConstraints=critical,CA:TRUE", signed=False
        )
        names = [
            "kubernetes",
            "kubernetes.default",
            "kubernetes.default.svc",
            "kubernetes.default.svc.cluster.local",
            "localhost",
        ]
        self.serving("apiserver", "kube-apiserver", names, addresses)
        for client, (user, group) in CLIENTS.items():
            self.client(client, user, group)
        _openssl(
            "genpkey",
            "-algorithm",
            "EC",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-out",
            self.folder / "tokens.key",
        )
        _openssl(
            "pkey", "-in", self.folder / "tokens.key", "-pubout", "-out", self.folder / "tokens.pub"
        )

    def serving(self, name, subject, names, addresses):
        alternatives = [f"DNS:{host}" for host in names] + [
            f"IP:{address}" for address in addresses
        ]
        self._certificate(name, subject, None, f"subjectAltName={','.join(alternatives)}")

    def client(self, name, user, group=None):
        """A client certificate and the kubeconfig that uses it."""
        self._certificate(name, user, group, "extendedKeyUsage=clientAuth")
        encoded = {
            part: base64.b64encode((self.folder / part).read_bytes()).decode()
            for part in ("ca.crt", f"{name}.crt", f"{name}.key")
        }
        (self.folder / f"{name}.kubeconfig").write_text(
            f"""apiVersion: v1
kind: Config
clusters:
- name: lockstep
  cluster:
    server: {self.server}
    certificate-authority-data: {encoded["ca.crt"]}
users:
- name: {name}
  user:
    client-certificate-data: {encoded[f"{name}.crt"]}
    client-key-data: {encoded[f"{name}.key"]}
contexts:
- name: lockstep
  context: {{cluster: lockstep, user: {name}}}
current-context: lockstep
"""
        )

    def _certificate(self, name, user, group, extension, signed=True):
        subject = f"/CN={user}" + (f"/O={group}" if group else "")
        signer = ["-CA", self.folder / "ca.crt", "-CAkey", self.folder / "ca.key"] if signed else []
        _openssl(
            *"req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 365".split(),
            *("-subj", subject, "-addext", extension, *signer),
            *("-keyout", self.folder / f"{name}.key", "-out", self.folder / f"{name}.crt"),
        )
