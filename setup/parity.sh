#!/usr/bin/env bash
# Makes the Python that the trainer is compared with: torch of the same version, and what reads and writes its files.
# Usual time: 4 minutes (3 GB) with an empty cache, nothing when it is there.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

final=$cache_root/parity-venv
# torchvision names no torch it would not work with, but pip would rather fetch another torch for it: all in one call.
packages=("torch==$TORCH_VERSION" "torchvision==$TORCHVISION_VERSION" "numpy==$NUMPY_VERSION" "pillow==$PILLOW_VERSION"
  "safetensors==$SAFETENSORS_VERSION" "tensorboard==$TENSORBOARD_VERSION")
only_one parity
if [ "$(cat "$final/packages" 2>/dev/null)" != "${packages[*]}" ]; then
  python3 -c "import sys; sys.exit(sys.version_info[:2] < tuple(map(int, '$PYTHON_MINIMUM'.split('.'))))" 2>/dev/null ||
    die "Python $PYTHON_MINIMUM or newer is needed, found $(python3 --version 2>&1); install python3"
  # In place, since a venv holds its own path. pip goes on where an interrupted run stopped; the file `packages` comes last.
  [ -x "$final/bin/pip" ] || python3 -m venv --clear "$final" ||
    die "no virtual environment could be made in $final; install python3-venv"
  say "parity: fetching torch $TORCH_VERSION with its CUDA libraries, torchvision and tensorboard (3 GB, usually 4 minutes)"
  "$final/bin/pip" install --quiet --disable-pip-version-check --only-binary=:all: "${packages[@]}" ||
    die "fetching ${packages[*]} from the Python package index failed; pip's words are above"
  "$final/bin/python" -c "import torch, torchvision, safetensors.torch, tensorboard; torchvision.ops.nms" ||
    die "Python in $final cannot load what was fetched; its words are above"
  printf '%s\n' "${packages[*]}" >"$final/packages"
fi
say "parity: ready in $final"
