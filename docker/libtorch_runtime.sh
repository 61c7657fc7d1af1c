#!/usr/bin/env bash
# Collects the shared libraries of LibTorch that the trainer loads: libtorch_runtime.sh FROM TO [cpu|cuda]
# FROM is laid out as setup/libtorch.sh unpacks it; TO gets the same layout, so that the libraries find each other.
set -euo pipefail
from=$1 to=$2 variant=${3:-cpu}

# copy FILE...: hard links where the file system allows, so that half a gigabyte is not copied for nothing.
copy() {
  local file target
  for file in "$@"; do
    target=$to/${file#"$from"/}
    mkdir -p "$(dirname "$target")"
    cp -lLf "$file" "$target" 2>/dev/null || cp -Lf "$file" "$target"
  done
}

case $variant in
  cpu)
    # The CUDA runtime and its profiling interface are linked, never used without a GPU.
    copy "$from"/torch/lib/{libtorch_cpu.so,libc10.so,libgomp.so.1} "$from"/nvidia/cu13/lib/{libcudart.so.13,libcupti.so.13}
    ;;
  cuda)
    copy "$from"/torch/lib/*.so* "$from"/nvidia/*/lib/*.so*
    rm "$to/torch/lib/libtorch_python.so"
    ;;
  *)
    echo "libtorch_runtime: the variant is cpu or cuda, not '$variant'" >&2
    exit 64
    ;;
esac
