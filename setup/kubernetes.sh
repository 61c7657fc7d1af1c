#!/usr/bin/env bash
# Builds the real control plane, the node's programs and the tools around them from their Go modules.
# Usual time: 25 minutes with cold Go caches on two cores, seconds when the binaries are there.
# LOCKSTEP_KUBERNETES_BIN=<folder> uses ready binaries instead (as KUBEBUILDER_ASSETS does for envtest).
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

bin=$cache_root/bin-kubernetes-$KUBERNETES_VERSION-etcd-$ETCD_VERSION-coredns-$COREDNS_VERSION-helm-$HELM_VERSION-kwok-$KWOK_VERSION
programs=(etcd kubectl kube-apiserver kube-controller-manager kube-scheduler kubelet kube-proxy coredns helm kwok)

if [ -n "${LOCKSTEP_KUBERNETES_BIN:-}" ]; then
  for program in "${programs[@]}"; do
    [ -x "$LOCKSTEP_KUBERNETES_BIN/$program" ] ||
      die "LOCKSTEP_KUBERNETES_BIN=$LOCKSTEP_KUBERNETES_BIN has no program $program; add it, or unset the variable to build it"
  done
  bin=$(readlink -f "$LOCKSTEP_KUBERNETES_BIN")   # the variable may name the very link that is set below
  ln -sfn "$bin" "$cache_root/kubernetes-bin"
  say "kubernetes: using the ready programs in $bin"
  exit 0
fi

require_go() {
  command -v go >/dev/null ||
    die "Go $GO_MINIMUM or newer is needed to build the test cluster and no go is on the PATH; install it, or name a folder of ready binaries in LOCKSTEP_KUBERNETES_BIN"
  local have
  have=$(go env GOVERSION | sed 's/^go//')
  version_at_least "$have" "$GO_MINIMUM" ||
    die "Go $GO_MINIMUM or newer is needed to build the test cluster, found $have; install a newer one, or name a folder of ready binaries in LOCKSTEP_KUBERNETES_BIN"
}

# build MODULE PACKAGE NAME USUAL [LDFLAGS]
build() {
  local final=$bin/$3 temporary started=$SECONDS
  [ -x "$final" ] && return
  say "kubernetes: building $3 (usually $4 when nothing is cached)"
  temporary=$(aside "$final")
  (cd "$setup_dir/go/$1" && CGO_ENABLED=0 go build -trimpath -ldflags "-s -w ${5:-}" -o "$temporary" "$2") ||
    die "building $3 from module $1 failed; the compiler's words are above"
  "$temporary" --version >/dev/null 2>&1 || "$temporary" version >/dev/null 2>&1 || "$temporary" version --client >/dev/null 2>&1 ||
    "$temporary" -version >/dev/null 2>&1 || die "$3 was built but does not start"
  publish "$temporary" "$final"
  say "kubernetes: built $3 in $((SECONDS - started)) s"
}

only_one kubernetes
missing=0
for program in "${programs[@]}"; do [ -x "$bin/$program" ] || missing=1; done
if [ "$missing" = 1 ]; then
  require_go
  mkdir -p "$bin"
  # Without the version stamp the server reports one that kubectl and helm cannot parse.
  stamp="-X k8s.io/component-base/version.gitVersion=v$KUBERNETES_VERSION -X k8s.io/client-go/pkg/version.gitVersion=v$KUBERNETES_VERSION"
  build etcd       go.etcd.io/etcd/server/v3                     etcd                    "1 minute"
  build kubernetes k8s.io/kubernetes/cmd/kube-apiserver          kube-apiserver          "10 minutes" "$stamp"
  build kubernetes k8s.io/kubernetes/cmd/kubectl                 kubectl                 "1 minute"   "$stamp"
  build kubernetes k8s.io/kubernetes/cmd/kube-controller-manager kube-controller-manager "2 minutes"  "$stamp"
  build kubernetes k8s.io/kubernetes/cmd/kube-scheduler          kube-scheduler          "1 minute"   "$stamp"
  build kubernetes k8s.io/kubernetes/cmd/kubelet                 kubelet                 "2 minutes"  "$stamp"
  build kubernetes k8s.io/kubernetes/cmd/kube-proxy              kube-proxy              "1 minute"   "$stamp"
  build coredns    lockstep.dev/setup/coredns                    coredns                 "2 minutes"
  build helm       helm.sh/helm/v4/cmd/helm                      helm                    "1 minute"   "-X helm.sh/helm/v4/internal/version.version=v$HELM_VERSION"
  build kwok       sigs.k8s.io/kwok/cmd/kwok                     kwok                    "1 minute"
fi
ln -sfn "$bin" "$cache_root/kubernetes-bin"
say "kubernetes: ready in $bin"
