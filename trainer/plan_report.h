// Which samples each rank sees in one epoch, as JSON. Pure. The format is docs/samplers.md's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "trainer/config/config.h"
#include "trainer/data/sampler.h"

namespace lockstep {

struct PlanQuestion {
  std::int64_t epoch = 0;  // from 0
  int world_size = 1;
  std::optional<int> rank{};             // print only this rank
  std::optional<std::int64_t> sample{};  // print where this sample is seen instead of the ranks
  bool is_evaluation = false;            // exact evaluation instead of data.sampler
};

inline constexpr std::int64_t kMostPrinted = 1'000'000;  // indices in one document

// Throws what plan_for throws, and std::invalid_argument for an epoch, rank or sample that there
// is none of and for more than kMostPrinted indices.
std::string plan_report(Config config, const SampleFacts& facts, const PlanQuestion& question);

}  // namespace lockstep
