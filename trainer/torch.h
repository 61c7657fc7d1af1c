// The LibTorch headers that the trainer's sources use, precompiled once. Headers of ours that only
// name a tensor include ATen/core/Tensor.h instead, which costs seconds and not a minute.
#pragma once

#include <torch/nn.h>

#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <torch/csrc/distributed/c10d/reducer.hpp>
