// The sampler against Python's own DistributedSampler, and the properties the trainer builds on.
#include "trainer/data/distributed_sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/trainer/data/golden.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::int64_t> all_of(const DistributedSampler& sampler) {
  return sampler.slice(0, sampler.size());
}

// The order in which all ranks together walk the dataset: sample k of rank r is number k * world +
// r.
std::vector<std::int64_t> global_order(DistributedSampling sampling, std::int64_t epoch) {
  std::vector<std::int64_t> order;
  for (sampling.rank = 0; sampling.rank < sampling.world_size; ++sampling.rank) {
    const DistributedSampler sampler(sampling, epoch);
    order.resize(sampler.size() * sampling.world_size, -1);
    for (std::int64_t k = 0; k < sampler.size(); ++k) {
      order[k * sampling.world_size + sampling.rank] = sampler[k];
    }
  }
  return order;
}

TEST(DistributedSampler, EqualsPythonsDistributedSampler) {
  const nlohmann::json cases = testing::golden_cases("distributed_sampler.json");
  ASSERT_EQ(cases.size(), 207u);
  for (const auto& golden : cases) {
    const DistributedSampler sampler({.dataset_size = golden["size"],
                                      .world_size = golden["world"],
                                      .rank = golden["rank"],
                                      .seed = golden["seed"],
                                      .shuffle = golden["shuffle"],
                                      .drop_last = golden["drop_last"]},
                                     golden["epoch"]);
    testing::expect_golden(golden, all_of(sampler));
  }
}

TEST(DistributedSampler, CoversTheDatasetAndPadsFromTheFront) {
  for (int size = 1; size < 40; ++size) {
    for (int world = 1; world < 12; ++world) {
      const auto order = global_order({.dataset_size = size, .world_size = world, .seed = 5}, 1);
      ASSERT_EQ(order.size() % world, 0u);
      ASSERT_LT(order.size(), static_cast<std::size_t>(size + world));
      for (std::size_t i = size; i < order.size(); ++i) EXPECT_EQ(order[i], order[i % size]);
      auto once = std::vector(order.begin(), order.begin() + size);
      std::ranges::sort(once);
      for (int i = 0; i < size; ++i) EXPECT_EQ(once[i], i);
    }
  }
}

TEST(DistributedSampler, GivesEachGlobalBatchTheSameSamplesAtAnyWorldSize) {
  const auto alone = global_order({.dataset_size = 120, .world_size = 1, .seed = 9}, 4);
  for (const int world : {2, 3, 4, 5, 8}) {
    EXPECT_EQ(global_order({.dataset_size = 120, .world_size = world, .seed = 9}, 4), alone);
  }
}

TEST(DistributedSampler, DropsTheTailWhenAsked) {
  const auto order = global_order({.dataset_size = 11, .world_size = 4, .drop_last = true}, 0);
  EXPECT_EQ(order.size(), 8u);
  EXPECT_EQ(DistributedSampler({.dataset_size = 3, .world_size = 4, .drop_last = true}, 0).size(),
            0);
}

TEST(DistributedSampler, OrdersEachEpochDifferently) {
  const DistributedSampling sampling{.dataset_size = 50};
  EXPECT_NE(all_of(DistributedSampler(sampling, 0)), all_of(DistributedSampler(sampling, 1)));
}

TEST(DistributedSampler, SlicesWithinTheEpoch) {
  const DistributedSampler sampler(
      {.dataset_size = 11, .world_size = 4, .rank = 1, .shuffle = false}, 0);
  EXPECT_THAT(sampler.slice(1, 1), ElementsAre(5));
  EXPECT_THAT(sampler.slice(1, 10), ElementsAre(5, 9));
  EXPECT_TRUE(sampler.slice(3, 10).empty());
}

TEST(DistributedSampler, RefusesWhatCannotBeSampled) {
  const struct {
    DistributedSampling sampling;
    const char* message;
  } cases[] = {
      {{.dataset_size = 0}, "the dataset is empty"},
      {{.dataset_size = -1}, "the dataset is empty"},
      {{.dataset_size = 5, .world_size = 0}, "world size 0"},
      {{.dataset_size = 5, .world_size = 2, .rank = 2}, "rank 2 is outside 0..1"},
      {{.dataset_size = 5, .world_size = 2, .rank = -1}, "rank -1 is outside 0..1"},
  };
  for (const auto& [sampling, message] : cases) {
    try {
      DistributedSampler(sampling, 0);
      ADD_FAILURE() << "accepted: " << message;
    } catch (const std::invalid_argument& fault) {
      EXPECT_THAT(fault.what(), HasSubstr(message));
    }
  }
}

}  // namespace
}  // namespace lockstep
