// Exact evaluation: each sample once, the same figures at any world size.
#pragma once

#include <cstdint>
#include <functional>

#include "trainer/batches/dataset.h"
#include "trainer/group/group.h"
#include "trainer/model/model.h"

namespace lockstep {

struct Evaluation {
  double loss = 0;      // mean cross-entropy, nats
  double accuracy = 0;  // share of targets that got the highest score, 0..1
  double top5 = 0;      // share of targets among the five highest scores; 1 below six classes
};

struct EvaluationSettings {
  std::int64_t batch_size = 1000;  // samples; the figures depend on it in their last bits
  int threads = 0;                 // that make batches ahead, as in Loader
  int ahead = 2;
};

// (all) Runs `model` in evaluation mode over `data`, in batches that do not depend on the world
// size. The model must hold the same parameters and buffers on every rank.
// `on_batch` is called after each of this rank's batches.
Evaluation evaluate(
    Model& model, const Dataset& data, const EvaluationSettings& settings, Group& group,
    const std::function<void()>& on_batch = [] {});

}  // namespace lockstep
