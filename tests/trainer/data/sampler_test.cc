// What holds for every sampler, over random data sets, worlds and settings.
#include "trainer/data/sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

#include "tests/trainer/data/random_cases.h"
#include "trainer/data/draw_counts.h"
#include "trainer/errors.h"

namespace lockstep {
namespace {

using testing::Case;
using testing::draws_of;
using ::testing::ElementsAre;
using testing::random_case;
using ::testing::ThrowsMessage;

constexpr const char* kMethods[] = {"distributed", "length_bucket", "repeat_factor", "weighted",
                                    "multigrid"};

class EverySampler : public ::testing::TestWithParam<const char*> {
 protected:
  static constexpr int kCases = 300;

  Case next() {
    Case c = random_case(random_, GetParam());
    SamplerConfig& method = c.sampling.method;
    if (method.name == "length_bucket") method.up_to = {10, 40, 90};
    if (method.name == "length_bucket" && random_() % 2 == 0) method.batch = {9, 5, 3, 1};
    if (method.name == "repeat_factor") method.threshold = 0.3;
    if (method.name == "weighted" && random_() % 2 == 0) method.weights = "samples";
    if (method.name == "multigrid" && random_() % 2 == 0) method.long_cycle = {10, 20, 30};
    return c;
  }

  std::mt19937 random_{20};
};

// Else a collective would hang, or one rank would wait for another's larger work.
TEST_P(EverySampler, DrawsAlikeOnEveryRankAtEachPosition) {
  for (int i = 0; i < kCases; ++i) {
    const Case c = next();
    const auto ranks = draws_of(c);
    for (const auto& draws : ranks) {
      ASSERT_EQ(draws.size(), ranks[0].size());
      for (std::size_t position = 0; position < draws.size(); ++position) {
        const Draw& draw = draws[position];
        const Draw& first = ranks[0][position];
        ASSERT_FALSE(draw.indices.empty());
        ASSERT_EQ(draw.indices.size(), first.indices.size());
        ASSERT_EQ(draw.bucket, first.bucket);
        ASSERT_EQ(draw.time_scale, first.time_scale);
        ASSERT_EQ(draw.space_scale, first.space_scale);
        for (const std::int64_t index : draw.indices) {
          ASSERT_TRUE(index >= 0 && index < c.facts.size);
        }
      }
    }
  }
}

TEST_P(EverySampler, HasAsManyBatchesAsItsStretchesTell) {
  for (int i = 0; i < kCases; ++i) {
    const Case c = next();
    const auto stretches = stretches_of(c.sampling, c.facts);
    ASSERT_EQ(stretches.front().first_epoch, 0);
    for (const std::int64_t epoch : {0, 1, 9, 10, 19, 20, 29, 30, 31, 1000}) {
      const auto after = std::ranges::upper_bound(stretches, epoch, {}, &Stretch::first_epoch);
      ASSERT_EQ(make_sampler(c.sampling, c.facts, epoch)->batches(), std::prev(after)->batches);
    }
  }
}

TEST_P(EverySampler, SeeksToWhatWalkingComesTo) {
  for (int i = 0; i < kCases; ++i) {
    const Case c = next();
    const auto walked = draws_of(c);
    const auto sampler = make_sampler(c.sampling, c.facts, c.epoch);
    for (int rank = c.sampling.world_size - 1; rank >= 0; --rank) {
      for (std::int64_t position = sampler->batches() - 1; position >= 0; position -= 3) {
        ASSERT_EQ(sampler->draw(rank, position), walked[rank][position]);
      }
    }
  }
}

// Repeats stand last in a draw, and without them each draw of an epoch came before it was filled
// up.
TEST_P(EverySampler, TellsWhatOnlyFillsTheTailUp) {
  for (int i = 0; i < kCases; ++i) {
    const Case c = next();
    const auto sampler = make_sampler(c.sampling, c.facts, c.epoch);
    std::int64_t repeated = 0, counted = 0;
    for (std::int64_t position = 0; position < sampler->batches(); ++position) {
      Drawn sum;
      for (int rank = 0; rank < c.sampling.world_size; ++rank) {
        const Draw draw = sampler->draw(rank, position);
        ASSERT_LE(draw.repeated, std::ssize(draw.indices));
        sum.samples += std::ssize(draw.indices);
        sum.repeated += draw.repeated;
      }
      ASSERT_EQ(sampler->drawn(position), sum);
      ASSERT_LT(sum.repeated, sum.samples) << "a step of nothing new";
      repeated += sum.repeated;
      counted += sum.samples - sum.repeated;
    }
    if (c.sampling.drop_last) {
      ASSERT_EQ(repeated, 0);
      continue;
    }
    const std::string& name = c.sampling.method.name;
    if (name != "repeat_factor") {
      ASSERT_EQ(counted, c.facts.size);
    }
  }
}

// Without the repeats an epoch is the data set.
TEST(Sampler, RepeatsNothingElse) {
  std::mt19937 random(5);
  for (int i = 0; i < 900; ++i) {
    const char* const methods[] = {"distributed", "multigrid", "length_bucket"};
    Case c = random_case(random, methods[i % 3]);
    if (i % 3 == 2) c.sampling.method.up_to = {10, 40, 90};
    c.sampling.drop_last = false;
    auto ranks = draws_of(c);
    for (auto& draws : ranks) {
      for (Draw& draw : draws) draw.indices.resize(draw.indices.size() - draw.repeated);
    }
    for (const int times : testing::times_drawn(ranks, c.facts.size)) ASSERT_EQ(times, 1);
  }
}

TEST_P(EverySampler, OrdersEpochsAndSeedsDifferently) {
  Case c = next();
  while (c.facts.size < 200 || !c.sampling.shuffle || draws_of(c)[0].size() < 5) c = next();
  const auto draws = draws_of(c);
  Case other = c;
  other.epoch += 31;
  EXPECT_NE(draws_of(other), draws);
  other = c;
  other.sampling.seed += 77;
  EXPECT_NE(draws_of(other), draws);
  EXPECT_EQ(draws_of(c), draws) << "the same again";
}

INSTANTIATE_TEST_SUITE_P(, EverySampler, ::testing::ValuesIn(kMethods),
                         [](const auto& info) { return std::string(info.param); });

// Whatever the method, an epoch of these loses and repeats less than one batch of all ranks.
TEST(Sampler, DrawsEachSampleOnceApartFromTheTail) {
  std::mt19937 random(4);
  for (int i = 0; i < 600; ++i) {
    Case c = random_case(random, i % 2 == 0 ? "distributed" : "multigrid");
    const auto ranks = draws_of(c);
    const auto times = testing::times_drawn(ranks, c.facts.size);
    const auto most_drawn = *std::ranges::max_element(times);
    const auto missed = std::ranges::count(times, 0);
    const std::int64_t largest = c.sampling.batch * (i % 2 == 0 ? 1 : 4);
    if (c.sampling.drop_last) {
      ASSERT_LE(most_drawn, 1);
      ASSERT_LT(missed, largest * c.sampling.world_size);
    } else {
      ASSERT_EQ(missed, 0);
      DrawCounts counts(c.facts.size);
      for (const auto& draws : ranks) {
        for (const Draw& draw : draws) counts.add(draw);
      }
      ASSERT_LT(counts.repeated(), c.sampling.world_size);
    }
  }
}

TEST(Sampler, SaysWhatItNeeds) {
  const auto refusal = [](SamplerConfig method, SampleFacts facts, Sampling sampling = {}) {
    sampling.method = method;
    return [=] { make_sampler(sampling, facts, 0); };
  };
  EXPECT_THAT(refusal({}, {}), ThrowsMessage<std::invalid_argument>(
                                   "the data set is empty: a sampler needs at least one sample"));
  EXPECT_THAT(refusal({}, {.size = 3}, {.world_size = 0}),
              ThrowsMessage<std::invalid_argument>("world size 0 is not possible: use 1 or more"));
  EXPECT_THAT(
      refusal({.name = "length_bucket"}, {.size = 3}),
      ThrowsMessage<std::invalid_argument>("data.sampler.name length_bucket needs lengths of the "
                                           "samples, which this data set does not tell"));
  EXPECT_THAT(refusal({.name = "weighted"}, {.size = 3, .weights = {1, 1, 1}}),
              ThrowsMessage<std::invalid_argument>(::testing::HasSubstr("needs classes")));
  EXPECT_THAT(refusal({.name = "repeat_factor"}, {.size = 3, .classes = {0, 1}}),
              ThrowsMessage<BadData>("the data set tells 2 classes for 3 samples"));
  EXPECT_THAT(refusal({.name = "length_bucket"}, {.size = 3, .lengths = {5, 0, -2}}),
              ThrowsMessage<BadData>("sample 2 has lengths -2: must be a number from 0"));
  const SamplerConfig weighted{.name = "weighted", .weights = "samples"};
  EXPECT_THAT(refusal(weighted, {.size = 2, .weights = {0, 0}}),
              ThrowsMessage<BadData>("the weights of all samples are 0: one must be above"));
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_THAT(refusal(weighted, {.size = 2, .weights = {1, infinity}}),
              ThrowsMessage<BadData>("sample 1 has weights inf: must be a number from 0"));
}

TEST(DrawCounts, CountsRepeatsMissesAndPadding) {
  const std::vector<std::int32_t> lengths = {2, 3, 10, 4};
  DrawCounts counts(4, lengths);
  counts.add({.indices = {0, 1}});  // 5 values, padded to 6
  counts.add({.indices = {2, 1}});  // 13, padded to 20
  EXPECT_EQ(counts.drawn(), 4);
  EXPECT_EQ(counts.repeated(), 1);
  EXPECT_EQ(counts.missing(), 1);
  EXPECT_EQ(counts.values(), 18);
  EXPECT_EQ(counts.padded(), 26);
  EXPECT_DOUBLE_EQ(counts.waste(), 8.0 / 26);
  EXPECT_EQ(DrawCounts(4).waste(), 0);
}

}  // namespace
}  // namespace lockstep
