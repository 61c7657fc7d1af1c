#!/usr/bin/env bash
# Unpacks what the preset `cuda` compiles against: the headers of CUDA and NCCL, and NCCL's library. No compiler of
# NVIDIA's is needed, since the project holds no device code.
# Usual time: 1 minute with an empty cache, nothing when it is there.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

final=$cache_root/cuda-$CUDA_TOOLKIT_VERSION-nccl-$NCCL_VERSION
only_one cuda
if [ ! -f "$final/nvidia/nccl/include/nccl.h" ]; then
  python3 -m pip --version >/dev/null 2>&1 || die "Python's pip is needed to fetch the CUDA headers; install python3-pip"
  temporary=$(aside "$final")
  mkdir -p "$temporary/wheels"
  say "cuda: fetching CUDA $CUDA_TOOLKIT_VERSION and NCCL $NCCL_VERSION (1.2 GB, usually a minute)"
  python3 -m pip download --quiet --only-binary=:all: --python-version 3.11 --implementation cp \
    --platform manylinux_2_28_x86_64 --platform manylinux_2_25_x86_64 --platform manylinux_2_27_x86_64 --platform manylinux2014_x86_64 --platform manylinux_2_17_x86_64 --platform manylinux_2_18_x86_64 \
    --dest "$temporary/wheels" "cuda-toolkit[cccl,crt,cublas,cudart,cusolver,cusparse]==$CUDA_TOOLKIT_VERSION" "nvidia-nccl-cu13==$NCCL_VERSION" ||
    die "fetching CUDA $CUDA_TOOLKIT_VERSION from the Python package index failed; pip's words are above"
  say "cuda: unpacking headers"
  for wheel in "$temporary"/wheels/nvidia_*.whl; do
    unzip -q "$wheel" 'nvidia/*/include/*' 'nvidia/nccl/lib/*' -d "$temporary" 2>/dev/null || [ $? = 11 ]  # 11: no such member
  done
  rm -r "$temporary/wheels"
  [ -f "$temporary/nvidia/nccl/include/nccl.h" ] && [ -f "$temporary/nvidia/cu13/include/cublas_v2.h" ] ||
    die "the wheels hold no nccl.h or cublas_v2.h where they used to"
  publish "$temporary" "$final"
fi
ln -sfn "$final" "$cache_root/cuda"
say "cuda: ready in $final"
