// Divisions, and what to say when they do not come out even.
#include "trainer/plan.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace lockstep {
namespace {

std::int64_t per_rank(std::int64_t batch_size, std::int64_t ranks) {
  if (batch_size % ranks == 0) return batch_size / ranks;
  const std::int64_t below = batch_size / ranks * ranks;
  const std::string choice = below > 0 ? std::to_string(below) + " or " : "";
  throw std::invalid_argument("train.batch_size " + std::to_string(batch_size) +
                              " does not divide evenly over " + std::to_string(ranks) +
                              " ranks: write " + choice + std::to_string(below + ranks));
}

}  // namespace

std::int64_t Plan::epoch_of(std::int64_t step) const {
  return (step + steps_per_epoch - 1) / steps_per_epoch;
}

std::int64_t Plan::epoch_end(std::int64_t step) const {
  return std::min((step / steps_per_epoch + 1) * steps_per_epoch, total_steps);
}

Plan plan_for(const Config& config, std::int64_t samples, int world_size) {
  const std::int64_t batch = config.train.batch_size;
  Plan plan{.epochs = config.train.epochs, .batch_size = batch};
  plan.batch_size_per_rank = per_rank(batch, world_size);
  plan.steps_per_epoch = config.data.drop_last ? samples / batch : (samples + batch - 1) / batch;
  if (plan.steps_per_epoch == 0) {
    throw std::invalid_argument("data.drop_last leaves no step: train.batch_size " +
                                std::to_string(batch) + " is larger than the " +
                                std::to_string(samples) + " training samples");
  }
  plan.total_steps = plan.epochs * plan.steps_per_epoch;
  const std::int64_t limit = config.train.max_steps;
  if (limit > 0) plan.total_steps = std::min(plan.total_steps, limit);
  return plan;
}

}  // namespace lockstep
