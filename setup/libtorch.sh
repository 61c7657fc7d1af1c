#!/usr/bin/env bash
# Unpacks LibTorch from the PyPI torch wheel, with the two CUDA runtime wheels that its CPU library is linked against.
# Usual time: 1 minute with an empty cache, nothing when it is there.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

final=$cache_root/libtorch-$TORCH_VERSION
only_one libtorch
if [ ! -f "$final/torch/lib/libtorch_cpu.so" ]; then
  python3 -c "import sys; sys.exit(sys.version_info[:2] < tuple(map(int, '$PYTHON_MINIMUM'.split('.'))))" 2>/dev/null ||
    die "Python $PYTHON_MINIMUM or newer with pip is needed to fetch LibTorch, found $(python3 --version 2>&1); install python3 and python3-pip"
  python3 -m pip --version >/dev/null 2>&1 || die "Python's pip is needed to fetch LibTorch; install python3-pip"
  temporary=$(aside "$final")
  mkdir -p "$temporary/wheels"
  say "libtorch: fetching torch $TORCH_VERSION (540 MB, usually half a minute)"
  python3 -m pip download --quiet --no-deps --only-binary=:all: --python-version 3.11 --implementation cp \
    --platform manylinux_2_28_x86_64 --platform manylinux_2_25_x86_64 --platform manylinux_2_27_x86_64 --platform manylinux2014_x86_64 --platform manylinux_2_17_x86_64 \
    --dest "$temporary/wheels" "torch==$TORCH_VERSION" "nvidia-cuda-runtime==$CUDA_RUNTIME_VERSION" "nvidia-cuda-cupti==$CUDA_RUNTIME_VERSION" ||
    die "fetching torch $TORCH_VERSION from the Python package index failed; pip's words are above"
  say "libtorch: unpacking (usually half a minute)"
  for wheel in "$temporary"/wheels/*.whl; do
    case $(basename "$wheel") in
      torch-*) unzip -q "$wheel" 'torch/lib/*' 'torch/include/*' -d "$temporary" ;;
      *) unzip -q "$wheel" 'nvidia/*' -d "$temporary" ;;
    esac
  done
  rm -r "$temporary/wheels"
  [ -f "$temporary/torch/lib/libtorch_cpu.so" ] || die "the torch wheel holds no torch/lib/libtorch_cpu.so; was it made for another platform?"
  publish "$temporary" "$final"
fi
ln -sfn "$final" "$cache_root/libtorch"
say "libtorch: ready in $final"
