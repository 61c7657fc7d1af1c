// The random stream of a sample: published values, evenness, and dependence on each of its inputs.
#include "trainer/data/sample_random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <vector>

#include "tests/trainer/data/golden.h"

namespace lockstep {
namespace {

TEST(SampleRandom, IsSplitMix64) {
  SampleRandom random(1234567);  // as published with the reference implementation
  for (const std::uint64_t expected :
       {6457827717110365317u, 3203168211198807973u, 9817491932198370423u, 4593380528125082431u,
        16408922859458223821u}) {
    EXPECT_EQ(random.bits(), expected);
  }
}

TEST(SampleRandom, DrawsWhatAnotherImplementationDraws) {
  for (const auto& golden : testing::golden_cases("sample_random.json")) {
    SampleRandom random(golden["seed"].get<std::uint64_t>(), golden["epoch"], golden["index"]);
    EXPECT_EQ(random.bits(), golden["bits"].get<std::uint64_t>()) << golden;
    EXPECT_EQ(random.unit(), golden["unit"].get<double>()) << golden;
    EXPECT_EQ(random.uniform(-3, 7.5), golden["uniform"].get<double>()) << golden;
    EXPECT_EQ(random.below(golden["bound"]), golden["below"].get<std::int64_t>()) << golden;
  }
}

TEST(SampleRandom, DiffersForEachSeedEpochAndIndex) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (std::int64_t epoch = 0; epoch < 20; ++epoch) {
      for (std::int64_t index = 0; index < 50; ++index) {
        seen.insert(SampleRandom(seed, epoch, index).bits());
      }
    }
  }
  EXPECT_EQ(seen.size(), 20u * 20 * 50);
}

TEST(SampleRandom, IsEvenAcrossSamples) {
  constexpr int kBins = 20, kSamples = 40000;
  std::vector<int> units(kBins), numbers(kBins);
  for (std::int64_t index = 0; index < kSamples; ++index) {
    SampleRandom random(7, 3, index);
    ++units[static_cast<int>(random.unit() * kBins)];
    ++numbers[random.below(kBins)];
  }
  for (const auto& counts : {units, numbers}) {  // 2000 +- 6 standard deviations
    EXPECT_GT(*std::min_element(counts.begin(), counts.end()), 1730);
    EXPECT_LT(*std::max_element(counts.begin(), counts.end()), 2270);
  }
}

TEST(SampleRandom, StaysInItsBounds) {
  SampleRandom random(1);
  for (int i = 0; i < 10000; ++i) {
    const double value = random.uniform(-1, 2);
    EXPECT_TRUE(-1 <= value && value <= 2);
  }
  EXPECT_EQ(random.below(1), 0);
  EXPECT_FALSE(random.chance(0));
  EXPECT_TRUE(random.chance(1));
  EXPECT_THROW(random.below(0), std::invalid_argument);
}

TEST(SampleRandom, HoldsOutTheWantedFraction) {
  int held_out = 0;
  for (std::int64_t index = 0; index < 10000; ++index) held_out += is_held_out(5, index, 0.1);
  EXPECT_NEAR(held_out, 1000, 180);
  EXPECT_FALSE(is_held_out(5, 0, 0));
  EXPECT_TRUE(is_held_out(5, 0, 1));
}

}  // namespace
}  // namespace lockstep
