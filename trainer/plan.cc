// Divisions, and what to say when they do not come out even.
#include "trainer/plan.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>

namespace lockstep {
namespace {

constexpr std::int64_t kMostPadded = 100'000'000;

std::string neighbours(std::int64_t below, std::int64_t above) {
  return (below > 0 ? std::to_string(below) + " or " : "") + std::to_string(above);
}

std::int64_t per_rank(std::int64_t batch_size, std::int64_t ranks) {
  if (batch_size % ranks == 0) return batch_size / ranks;
  const std::int64_t below = batch_size / ranks * ranks;
  throw std::invalid_argument("train.batch_size " + std::to_string(batch_size) +
                              " does not divide evenly over " + std::to_string(ranks) +
                              " ranks: write " + neighbours(below, below + ranks));
}

std::int64_t per_batch(std::int64_t samples_per_rank, std::int64_t accumulate) {
  if (samples_per_rank % accumulate == 0) return samples_per_rank / accumulate;
  std::int64_t below = std::min(accumulate, samples_per_rank);
  std::int64_t above = accumulate;
  while (samples_per_rank % below != 0) --below;
  while (above < samples_per_rank && samples_per_rank % above != 0) ++above;
  const bool has_above = above <= samples_per_rank;
  throw std::invalid_argument("train.accumulate " + std::to_string(accumulate) +
                              " does not divide the " + std::to_string(samples_per_rank) +
                              " samples of a rank in a step: write " +
                              (has_above ? neighbours(below, above) : std::to_string(below)));
}

bool has_own_batches(const SamplerConfig& method) {
  return method.name == "length_bucket" && !method.batch.empty();
}

// Each bucket may be padded to a whole batch of all ranks, however few samples there are.
void require_moderate(const Sampling& sampling) {
  const SamplerConfig& method = sampling.method;
  const std::int64_t buckets = std::ssize(method.up_to) + 1;
  const std::int64_t per_rank =
      method.batch.empty()
          ? buckets * sampling.batch
          : std::accumulate(method.batch.begin(), method.batch.end(), std::int64_t{0});
  if (method.name != "length_bucket" || per_rank <= kMostPadded / sampling.world_size) return;
  throw std::invalid_argument("data.sampler.batch makes " + std::to_string(per_rank) +
                              " samples per rank in one batch of each bucket: " +
                              std::to_string(kMostPadded / sampling.world_size) +
                              " is the most for " + std::to_string(sampling.world_size) + " ranks");
}

[[noreturn]] void refuse_empty(const Config& config, std::int64_t samples) {
  const bool is_length_bucket = config.data.sampler.name == "length_bucket";
  throw std::invalid_argument(
      "data.tail drop leaves no step: " +
      (is_length_bucket ? "no bucket of data.sampler.up_to holds enough"
                        : "train.batch_size " + std::to_string(config.train.batch_size) +
                              " is larger than the") +
      (is_length_bucket ? " of the " : " ") + std::to_string(samples) + " training samples");
}

std::int64_t steps_of(std::int64_t batches, const Config& config) {
  const std::int64_t accumulate = config.train.accumulate;
  return config.data.tail == "drop" ? batches / accumulate
                                    : (batches + accumulate - 1) / accumulate;
}

// The stretch that holds `value` of the ascending `member`.
const Plan::Epochs& stretch_at(const std::vector<Plan::Epochs>& lengths,
                               std::int64_t Plan::Epochs::*member, std::int64_t value) {
  const auto after = std::ranges::upper_bound(lengths, value, {}, member);
  return after == lengths.begin() ? lengths.front() : *std::prev(after);
}

std::vector<Plan::Epochs> lengths_of(const Config& config, const SampleFacts& facts,
                                     const Sampling& sampling) {
  std::vector<Plan::Epochs> lengths;
  for (const auto& [first_epoch, batches] : stretches_of(sampling, facts)) {
    if (first_epoch >= config.train.epochs) break;
    const std::int64_t steps = steps_of(batches, config);
    if (steps == 0) refuse_empty(config, facts.size);
    const Plan::Epochs before = lengths.empty() ? Plan::Epochs{} : lengths.back();
    lengths.push_back(
        {first_epoch,
         before.steps_before + (first_epoch - before.first_epoch) * before.steps_per_epoch, steps});
  }
  return lengths;
}

}  // namespace

EpochStep Plan::at(std::int64_t step) const {
  const Epochs& stretch = stretch_at(lengths, &Epochs::steps_before, step);
  const std::int64_t steps = step - stretch.steps_before;
  return {stretch.first_epoch + steps / stretch.steps_per_epoch, steps % stretch.steps_per_epoch};
}

std::int64_t Plan::epoch_of(std::int64_t step) const {
  return step == 0 ? 0 : at(step - 1).epoch + 1;
}

std::int64_t Plan::epoch_end(std::int64_t step) const {
  return std::min(steps_before(at(step).epoch + 1), total_steps);
}

std::int64_t Plan::steps_before(std::int64_t epoch) const {
  const Epochs& stretch = stretch_at(lengths, &Epochs::first_epoch, epoch);
  return stretch.steps_before + (epoch - stretch.first_epoch) * stretch.steps_per_epoch;
}

std::int64_t Plan::steps_in(std::int64_t epoch) const {
  return stretch_at(lengths, &Epochs::first_epoch, epoch).steps_per_epoch;
}

double Plan::epochs_done(std::int64_t step) const {
  const EpochStep place = at(step);
  return static_cast<double>(place.epoch) +
         static_cast<double>(place.step) / static_cast<double>(steps_in(place.epoch));
}

Plan::Positions Plan::positions(const EpochStep& place, std::int64_t batches) const {
  const std::int64_t first = place.step * accumulate;
  return {first, std::min(first + accumulate, batches)};
}

Sampling sampling_for(const Config& config, int world_size) {
  Sampling sampling{.method = config.data.sampler,
                    .shuffle = config.data.shuffle,
                    .drop_last = config.data.tail == "drop",
                    .joins_tail = config.data.tail == "join",
                    .seed = config.seed,
                    .world_size = world_size};
  sampling.batch =
      has_own_batches(sampling.method)
          ? std::ranges::max(sampling.method.batch)
          : per_batch(per_rank(config.train.batch_size, world_size), config.train.accumulate);
  require_moderate(sampling);
  return sampling;
}

Plan plan_for(const Config& config, const SampleFacts& facts, int world_size) {
  const Sampling sampling = sampling_for(config, world_size);
  Plan plan{.epochs = config.train.epochs,
            .batch_size_per_rank = sampling.batch,
            .accumulate = config.train.accumulate,
            .lengths = lengths_of(config, facts, sampling)};
  plan.batch_size = sampling.batch * world_size * plan.accumulate;
  plan.total_steps = plan.steps_before(plan.epochs);
  const std::int64_t limit = config.train.max_steps;
  if (limit > 0) plan.total_steps = std::min(plan.total_steps, limit);
  return plan;
}

}  // namespace lockstep
