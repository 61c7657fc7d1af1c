// Dealing against Python's own DistributedSampler, and the properties the trainer builds on.
#include "trainer/data/dealt_sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/trainer/data/golden.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::int64_t kAll = 1 << 30;

Deal deal_of(const Sampling& sampling, std::int64_t samples, std::int64_t epoch) {
  return {epoch_order(sampling, samples, epoch), sampling.world_size, sampling.drop_last};
}

// The order in which all ranks together walk the data set: sample k of rank r is number
// k * world size + r.
std::vector<std::int64_t> global_order(const Sampling& sampling, std::int64_t samples,
                                       std::int64_t epoch) {
  const Deal deal = deal_of(sampling, samples, epoch);
  std::vector<std::int64_t> order(deal.size() * sampling.world_size, -1);
  for (int rank = 0; rank < sampling.world_size; ++rank) {
    const auto slice = deal.slice(rank, 0, kAll).indices;
    for (std::size_t k = 0; k < slice.size(); ++k) order[k * sampling.world_size + rank] = slice[k];
  }
  return order;
}

TEST(Deal, EqualsPythonsDistributedSampler) {
  const nlohmann::json cases = testing::golden_cases("distributed_sampler.json");
  ASSERT_EQ(cases.size(), 207u);
  for (const auto& golden : cases) {
    const Sampling sampling{.shuffle = golden["shuffle"],
                            .drop_last = golden["drop_last"],
                            .seed = golden["seed"],
                            .world_size = golden["world"]};
    const Deal deal = deal_of(sampling, golden["size"], golden["epoch"]);
    testing::expect_golden(golden, deal.slice(golden["rank"], 0, kAll).indices);
  }
}

TEST(Deal, CoversTheDataSetAndPadsFromTheFront) {
  for (int size = 1; size < 40; ++size) {
    for (int world = 1; world < 12; ++world) {
      const auto order = global_order({.seed = 5, .world_size = world}, size, 1);
      ASSERT_EQ(order.size() % world, 0u);
      ASSERT_LT(order.size(), static_cast<std::size_t>(size + world));
      for (std::size_t i = size; i < order.size(); ++i) EXPECT_EQ(order[i], order[i % size]);
      auto once = std::vector(order.begin(), order.begin() + size);
      std::ranges::sort(once);
      for (int i = 0; i < size; ++i) EXPECT_EQ(once[i], i);
    }
  }
}

TEST(Deal, GivesEachGlobalBatchTheSameSamplesAtAnyWorldSize) {
  const auto alone = global_order({.seed = 9}, 120, 4);
  for (const int world : {2, 3, 4, 5, 8}) {
    EXPECT_EQ(global_order({.seed = 9, .world_size = world}, 120, 4), alone);
  }
}

TEST(Deal, DropsTheTailWhenAsked) {
  EXPECT_EQ(global_order({.drop_last = true, .world_size = 4}, 11, 0).size(), 8u);
  EXPECT_EQ(deal_of({.drop_last = true, .world_size = 4}, 3, 0).size(), 0);
}

TEST(Deal, OrdersEachEpochDifferently) {
  EXPECT_NE(global_order({}, 50, 0), global_order({}, 50, 1));
}

TEST(Deal, SlicesWithinTheEpoch) {
  const Deal deal = deal_of({.shuffle = false, .world_size = 4}, 11, 0);
  EXPECT_THAT(deal.slice(1, 1, 2).indices, ElementsAre(5));
  EXPECT_THAT(deal.slice(1, 1, 11).indices, ElementsAre(5, 9));
  EXPECT_THAT(deal.slice(1, 3, 13).indices, IsEmpty());
}

TEST(DealtSampler, CutsWhatIsDealt) {
  for (const bool drop_last : {false, true}) {
    for (int size = 1; size < 60; ++size) {
      for (const std::int64_t batch : {1, 3, 7}) {
        const Sampling sampling{.drop_last = drop_last, .world_size = 3, .batch = batch};
        const auto order = epoch_order(sampling, size, 0);
        const DealtSampler sampler(sampling, order);
        const Deal deal(order, 3, drop_last);
        std::vector<std::int64_t> walked;
        for (std::int64_t position = 0; position < sampler.batches(); ++position) {
          const auto draw = sampler.draw(2, position).indices;
          ASSERT_TRUE(!drop_last || std::ssize(draw) == batch);
          ASSERT_FALSE(draw.empty());
          walked.insert(walked.end(), draw.begin(), draw.end());
        }
        EXPECT_EQ(walked, deal.slice(2, 0, drop_last ? sampler.batches() * batch : kAll).indices);
      }
    }
  }
}

}  // namespace
}  // namespace lockstep
