// Repeat factors, weights and multigrid's cycles against the papers' and Python's definitions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/trainer/data/golden.h"
#include "tests/trainer/data/random_cases.h"
#include "trainer/data/multigrid_sampler.h"
#include "trainer/data/repeat_factor.h"
#include "trainer/data/weighted_order.h"

namespace lockstep {
namespace {

using ::testing::DoubleEq;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Pointwise;

// How often each sample comes in `order`.
std::vector<int> times_in(const std::vector<std::int64_t>& order, std::size_t samples) {
  std::vector<int> times(samples);
  for (const std::int64_t sample : order) ++times.at(sample);
  return times;
}

TEST(RepeatFactor, EqualsThePapersFormula) {
  for (const auto& golden : testing::golden_cases("repeat_factor.json")) {
    const auto classes = golden["classes"].get<std::vector<std::int32_t>>();
    EXPECT_THAT(repeat_factors(classes, golden["threshold"]),
                Pointwise(DoubleNear(1e-12), golden["factors"].get<std::vector<double>>()));
  }
}

TEST(RepeatFactor, RepeatsAsOftenAsTheFactorSaysAndEqualInTotal) {
  std::mt19937 random(5);
  for (int i = 0; i < 300; ++i) {
    const auto c = testing::random_case(random, "repeat_factor");
    const auto factors = repeat_factors(c.facts.classes, 0.4);
    const auto size = repeated_size(factors);
    double sum = 0;
    for (const double factor : factors) sum += factor;
    ASSERT_TRUE(size <= sum + 1e-9 && size > sum - 1 - 1e-9);
    for (const std::int64_t epoch : {0, 1, 2}) {
      const auto order = repeated_order(c.sampling, factors, epoch);
      ASSERT_EQ(std::ssize(order), size);
      const auto times = times_in(order, factors.size());
      for (std::size_t sample = 0; sample < times.size(); ++sample) {
        ASSERT_TRUE(times[sample] == std::floor(factors[sample]) ||
                    times[sample] == std::floor(factors[sample]) + 1);
      }
    }
  }
}

// Over many epochs each sample comes as often as its factor says, apart from what all fractions
// together lose by being rounded down to 7.
TEST(RepeatFactor, GivesEachSampleItsShareOverManyEpochs) {
  std::vector<std::int32_t> classes(100);
  for (int i = 0; i < 20; ++i) classes[i * 5] = 1;
  for (int i = 0; i < 4; ++i) classes[i * 5 + 1] = 2;
  const auto factors = repeat_factors(classes, 0.3);
  const double factor_of_1 = std::sqrt(0.3 / 0.2), factor_of_2 = std::sqrt(0.3 / 0.04);
  const double kept = 7 / (20 * (factor_of_1 - 1) + 4 * (factor_of_2 - 2));
  const double expected[] = {1, 1 + (factor_of_1 - 1) * kept, 2 + (factor_of_2 - 2) * kept};
  std::vector<double> mean(100);
  constexpr int kEpochs = 4000;
  for (int epoch = 0; epoch < kEpochs; ++epoch) {
    const auto times = times_in(repeated_order({.seed = 3}, factors, epoch), 100);
    for (int i = 0; i < 100; ++i) mean[i] += 1.0 * times[i] / kEpochs;
  }
  for (int i = 0; i < 100; ++i) EXPECT_NEAR(mean[i], expected[classes[i]], 0.03) << i;
}

TEST(RepeatFactor, SpreadsCopiesOverTheEpoch) {
  const std::vector<double> factors(50, 3.0);
  const auto order = repeated_order({}, factors, 0);
  int neighbours = 0;
  for (std::size_t i = 1; i < order.size(); ++i) neighbours += order[i] == order[i - 1] ? 1 : 0;
  EXPECT_LT(neighbours, 15);
  EXPECT_THAT(repeated_order({.shuffle = false}, std::vector<double>{2, 1}, 0),
              ElementsAre(0, 0, 1));
}

// Chi-square over 40 samples, one of weight 0: beyond 80 for 38 degrees of freedom happens once in
// about 10,000.
TEST(Weighted, DrawsInProportionToTheWeights) {
  std::vector<double> weights;
  for (int i = 0; i < 40; ++i) weights.push_back(i % 7 == 6 ? i : 1 + i % 3);
  weights[39] = 0;
  double sum = 0;
  for (const double weight : weights) sum += weight;
  std::vector<double> times(40);
  constexpr int kEpochs = 2000;
  for (int epoch = 0; epoch < kEpochs; ++epoch) {
    for (const std::int64_t sample : weighted_order({.seed = 8}, weights, epoch)) ++times[sample];
  }
  double chi_square = 0;
  for (int i = 0; i < 39; ++i) {
    const double expected = weights[i] / sum * 40 * kEpochs;
    chi_square += (times[i] - expected) * (times[i] - expected) / expected;
  }
  EXPECT_LT(chi_square, 80);
  EXPECT_EQ(times[39], 0);
}

TEST(Weighted, GivesClassesEqualShares) {
  const auto weights = class_weights(std::vector<std::int32_t>{0, 0, 0, 0, 3, 7, 7});
  EXPECT_THAT(weights, Pointwise(DoubleEq(), std::vector{.25, .25, .25, .25, 1., .5, .5}));
}

std::vector<std::int64_t> factors_at(const SamplerConfig& method, std::int64_t epoch) {
  std::vector<std::int64_t> factors;
  for (const ClipScale& scale : clip_scales(method, epoch)) factors.push_back(scale.batch_factor());
  return factors;
}

// The paper's table of batch sizes, and for both cycles together what its authors' code computes.
TEST(Multigrid, ScalesBatchesAsThePaperDoes) {
  const SamplerConfig long_only{
      .name = "multigrid", .short_cycle = false, .long_cycle = {10, 20, 30}};
  EXPECT_THAT(factors_at(long_only, 0), ElementsAre(8));
  EXPECT_THAT(factors_at(long_only, 9), ElementsAre(8));
  EXPECT_THAT(factors_at(long_only, 10), ElementsAre(4));
  EXPECT_THAT(factors_at(long_only, 20), ElementsAre(2));
  EXPECT_THAT(factors_at(long_only, 30), ElementsAre(1));
  EXPECT_THAT(factors_at(long_only, 99), ElementsAre(1));
  EXPECT_THAT(factors_at({.name = "multigrid"}, 5), ElementsAre(4, 2, 1));
  const SamplerConfig both{.name = "multigrid", .long_cycle = {1, 2, 3, 4, 5, 6, 7}};
  for (const int again : {0, 4}) {
    EXPECT_THAT(factors_at(both, again), ElementsAre(16, 8, 8));
    EXPECT_THAT(factors_at(both, again + 1), ElementsAre(8, 4, 4));
    EXPECT_THAT(factors_at(both, again + 2), ElementsAre(8, 4, 2));
    EXPECT_THAT(factors_at(both, again + 3), ElementsAre(4, 2, 1));
  }
}

TEST(Multigrid, ChangesTheCropEachBatch) {
  const MultigridSampler sampler({.method = {.name = "multigrid"}, .batch = 2}, 21, 0);
  std::vector<std::size_t> sizes;
  std::vector<double> crops;
  for (std::int64_t position = 0; position < sampler.batches(); ++position) {
    const Draw draw = sampler.draw(0, position);
    sizes.push_back(draw.indices.size());
    crops.push_back(draw.space_scale);
    EXPECT_EQ(draw.time_scale, 1);
  }
  EXPECT_THAT(sizes, ElementsAre(8, 4, 2, 7)) << "the tail takes the shape that is next";
  EXPECT_THAT(crops, Pointwise(DoubleEq(), std::vector{0.5, std::sqrt(0.5), 1.0, 0.5}));
}

}  // namespace
}  // namespace lockstep
