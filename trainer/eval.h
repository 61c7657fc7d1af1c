// Exact evaluation: each sample once, the same figures at any world size.
#pragma once

#include <cstdint>
#include <functional>

#include "trainer/data/torch_images.h"
#include "trainer/group/group.h"
#include "trainer/model/model.h"

namespace lockstep {

struct Evaluation {
  double loss = 0;      // mean cross-entropy, nats
  double accuracy = 0;  // share of samples whose highest score is that of their label, 0..1
};

// (all) Runs `model` in evaluation mode over `data`, in batches that do not depend on the world
// size. The model must hold the same parameters and buffers on every rank.
// `on_batch` is called after each of this rank's batches.
Evaluation evaluate(
    Model& model, const ImageSet& data, std::int64_t batch_size, Group& group,
    const std::function<void()>& on_batch = [] {});

}  // namespace lockstep
