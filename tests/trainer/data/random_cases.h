// Random samplings for property tests, and what all ranks draw in an epoch.
#pragma once

#include <algorithm>
#include <random>
#include <vector>

#include "trainer/data/sampler.h"

namespace lockstep::testing {

struct Case {
  Sampling sampling{};
  SampleFacts facts{};
  std::int64_t epoch = 0;
};

// Lengths and classes are uneven, as in real data: most are small.
inline Case random_case(std::mt19937& random, const char* method) {
  const auto pick = [&](int least, int most) {
    return std::uniform_int_distribution(least, most)(random);
  };
  Case result{.sampling = {.method = {.name = method},
                           .shuffle = pick(0, 3) > 0,
                           .drop_last = pick(0, 1) == 1,
                           .seed = random(),
                           .world_size = pick(1, 9),
                           .batch = pick(1, 12)},
              .facts = {.size = pick(1, 3) == 1 ? pick(1, 30) : pick(1, 700)},
              .epoch = pick(0, 50)};
  std::geometric_distribution<int> length(0.02), label(0.4);
  std::uniform_real_distribution<double> weight(0, 3);
  for (std::int64_t i = 0; i < result.facts.size; ++i) {
    result.facts.lengths.push_back(length(random));
    result.facts.classes.push_back(label(random));
    result.facts.weights.push_back(weight(random) + 0.001);
  }
  return result;
}

// [rank][position]
inline std::vector<std::vector<Draw>> draws_of(const Sampler& sampler, int world_size) {
  std::vector<std::vector<Draw>> ranks(world_size);
  for (int rank = 0; rank < world_size; ++rank) {
    for (std::int64_t position = 0; position < sampler.batches(); ++position) {
      ranks[rank].push_back(sampler.draw(rank, position));
    }
  }
  return ranks;
}

inline std::vector<std::vector<Draw>> draws_of(const Case& c) {
  return draws_of(*make_sampler(c.sampling, c.facts, c.epoch), c.sampling.world_size);
}

// How often each sample comes.
inline std::vector<int> times_drawn(const std::vector<std::vector<Draw>>& ranks,
                                    std::int64_t samples) {
  std::vector<int> times(samples);
  for (const auto& draws : ranks) {
    for (const Draw& draw : draws) {
      for (const std::int64_t index : draw.indices) ++times.at(index);
    }
  }
  return times;
}

}  // namespace lockstep::testing
