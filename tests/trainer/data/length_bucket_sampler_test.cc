// Buckets, batch sizes, tails and padding; and beside it what bucketing each rank's own share does.
#include "trainer/data/length_bucket_sampler.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/trainer/data/random_cases.h"
#include "trainer/data/deal.h"
#include "trainer/data/draw_counts.h"

namespace lockstep {
namespace {

using testing::Case;
using testing::draws_of;
using Ranks = std::vector<std::vector<Draw>>;

const std::vector<int> kUpTo = {10, 40, 90};

Case next(std::mt19937& random) {
  Case c = testing::random_case(random, "length_bucket");
  c.sampling.method.up_to = kUpTo;
  c.sampling.method.window = 1 + random() % 5;
  if (random() % 2 == 0) c.sampling.method.batch = {9, 5, 3, 1};
  return c;
}

std::int64_t batch_of(const Case& c, int bucket) {
  return c.sampling.method.batch.empty() ? c.sampling.batch : c.sampling.method.batch[bucket];
}

DrawCounts counts_of(const Ranks& ranks, const SampleFacts& facts) {
  DrawCounts counts(facts.size, facts.lengths);
  for (const auto& draws : ranks) {
    for (const Draw& draw : draws) counts.add(draw);
  }
  return counts;
}

TEST(LengthBucketSampler, PutsALengthOnABoundaryBelowIt) {
  EXPECT_EQ(bucket_of(0, kUpTo), 0);
  EXPECT_EQ(bucket_of(10, kUpTo), 0);
  EXPECT_EQ(bucket_of(11, kUpTo), 1);
  EXPECT_EQ(bucket_of(40, kUpTo), 1);
  EXPECT_EQ(bucket_of(90, kUpTo), 2);
  EXPECT_EQ(bucket_of(91, kUpTo), 3);
  EXPECT_EQ(bucket_of(5, {}), 0);
}

TEST(LengthBucketSampler, FillsEachBatchFromItsBucket) {
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) {
    const Case c = next(random);
    for (const auto& draws : draws_of(c)) {
      for (const Draw& draw : draws) {
        ASSERT_EQ(std::ssize(draw.indices), batch_of(c, draw.bucket));
        for (const std::int64_t index : draw.indices) {
          ASSERT_EQ(bucket_of(c.facts.lengths[index], kUpTo), draw.bucket);
        }
      }
    }
  }
}

// Padded: each sample comes, and a bucket repeats fewer than a batch of all ranks, evenly.
// Dropped: none comes twice, and a bucket loses fewer than a batch of all ranks.
TEST(LengthBucketSampler, PartitionsEachBucketApartFromItsTail) {
  std::mt19937 random(2);
  for (int i = 0; i < 300; ++i) {
    const Case c = next(random);
    const auto times = testing::times_drawn(draws_of(c), c.facts.size);
    std::map<int, std::vector<int>> by_bucket;
    for (std::int64_t sample = 0; sample < c.facts.size; ++sample) {
      by_bucket[bucket_of(c.facts.lengths[sample], kUpTo)].push_back(times[sample]);
    }
    for (const auto& [bucket, of_bucket] : by_bucket) {
      const std::int64_t global = batch_of(c, bucket) * c.sampling.world_size;
      const auto [least, most] = std::ranges::minmax(of_bucket);
      std::int64_t drawn = 0;
      for (const int count : of_bucket) drawn += count;
      if (c.sampling.drop_last) {
        ASSERT_LE(most, 1);
        ASSERT_LT(std::ssize(of_bucket) - drawn, global);
      } else {
        ASSERT_GE(least, 1);
        ASSERT_LE(most - least, 1);
        ASSERT_LT(drawn - std::ssize(of_bucket), global);
      }
    }
  }
}

TEST(LengthBucketSampler, MixesTheBuckets) {
  std::mt19937 random(3);
  Case c = next(random);
  while (draws_of(c)[0].size() < 40) c = next(random);
  const auto buckets_of = [&](bool shuffle) {
    c.sampling.shuffle = shuffle;
    const Ranks ranks = draws_of(c);
    std::vector<int> buckets;
    for (const Draw& draw : ranks[0]) buckets.push_back(draw.bucket);
    return buckets;
  };
  EXPECT_FALSE(std::ranges::is_sorted(buckets_of(true)));
  EXPECT_TRUE(std::ranges::is_sorted(buckets_of(false)));
}

// 3000 samples of up to about 400, three buckets, four ranks.
Case large_case() {
  Case c{.sampling = {.method = {.name = "length_bucket", .up_to = {50, 150}, .batch = {32, 24, 8}},
                      .world_size = 4}};
  std::mt19937 random(7);
  std::geometric_distribution<int> length(0.015);
  c.facts.size = 3000;
  for (int i = 0; i < 3000; ++i) c.facts.lengths.push_back(length(random));
  return c;
}

TEST(LengthBucketSampler, DealsTheSameBatchesAtAnyWorldSizeWhenTheyAreCutFromOne) {
  Case c = large_case();
  c.sampling.method.batch.clear();
  const auto global_batches = [&](int world_size) {
    c.sampling.world_size = world_size;
    c.sampling.batch = 24 / world_size;
    const auto ranks = draws_of(c);
    std::vector<std::multiset<std::int64_t>> batches(ranks[0].size());
    for (const auto& draws : ranks) {
      for (std::size_t i = 0; i < draws.size(); ++i) {
        batches[i].insert(draws[i].indices.begin(), draws[i].indices.end());
      }
    }
    return batches;
  };
  const auto alone = global_batches(1);
  for (const int world_size : {2, 3, 4, 8, 24}) EXPECT_EQ(global_batches(world_size), alone);
}

TEST(LengthBucketSampler, PadsLittleAndLessWithALargerWindow) {
  Case c = large_case();
  Case plain = c;
  plain.sampling.method = {.name = "distributed"};
  plain.sampling.batch = 24;
  const double shuffled = counts_of(draws_of(plain), c.facts).waste();
  c.sampling.method.window = 1;
  const double bucketed = counts_of(draws_of(c), c.facts).waste();
  c.sampling.method.window = 16;
  const double windowed = counts_of(draws_of(c), c.facts).waste();
  EXPECT_GT(shuffled, 0.6);
  EXPECT_LT(bucketed, 0.5);
  EXPECT_LT(windowed, 0.1);
}

// Windows change, so samples meet others: a batch of one epoch is spread over many of the next.
TEST(LengthBucketSampler, GivesASampleOtherNeighboursEachEpoch) {
  Case c = large_case();
  c.sampling.method.window = 2;
  const auto partners = [&](std::int64_t epoch) {
    std::set<std::pair<std::int64_t, std::int64_t>> pairs;
    Case at = c;
    at.epoch = epoch;
    for (const auto& draws : draws_of(at)) {
      for (const Draw& draw : draws) {
        for (const std::int64_t a : draw.indices) {
          for (const std::int64_t b : draw.indices) {
            if (a < b) pairs.insert({a, b});
          }
        }
      }
    }
    return pairs;
  };
  const auto first = partners(0), second = partners(1);
  std::vector<std::pair<std::int64_t, std::int64_t>> both;
  std::ranges::set_intersection(first, second, std::back_inserter(both));
  EXPECT_LT(both.size() * 5, first.size()) << both.size() << " of " << first.size();
}

// Each rank buckets its own share of the epoch and cuts batches there, as many samplers do.
Ranks naive_draws(const Case& c) {
  const Deal deal(epoch_order(c.sampling, c.facts.size, c.epoch), c.sampling.world_size, false);
  Ranks ranks(c.sampling.world_size);
  for (int rank = 0; rank < c.sampling.world_size; ++rank) {
    std::map<int, Draw> open;
    for (const std::int64_t sample : deal.slice(rank, 0, deal.size()).indices) {
      const int bucket = bucket_of(c.facts.lengths[sample], c.sampling.method.up_to);
      open[bucket].bucket = bucket;
      open[bucket].indices.push_back(sample);
      if (std::ssize(open[bucket].indices) < batch_of(c, bucket)) continue;
      ranks[rank].push_back(std::exchange(open[bucket], {}));
    }
    for (const auto& [bucket, draw] : open) {
      if (!draw.indices.empty()) ranks[rank].push_back(draw);
    }
  }
  return ranks;
}

// Epochs, of 50, in which ranks differ in their number of batches; steps, of all, at which they
// differ in bucket.
std::pair<int, double> disagreements(Ranks (*draws)(const Case&)) {
  Case c = large_case();
  int uneven = 0;
  double steps = 0, mixed = 0;
  for (c.epoch = 0; c.epoch < 50; ++c.epoch) {
    const Ranks ranks = draws(c);
    std::set<std::size_t> counts;
    for (const auto& of_rank : ranks) counts.insert(of_rank.size());
    uneven += counts.size() > 1 ? 1 : 0;
    for (std::size_t step = 0; step < *counts.begin(); ++step) {
      std::set<int> buckets;
      for (const auto& of_rank : ranks) buckets.insert(of_rank[step].bucket);
      steps += 1;
      mixed += buckets.size() > 1 ? 1 : 0;
    }
  }
  return {uneven, mixed / steps};
}

TEST(NaiveBucketing, HangsAndWaitsWhereLengthBucketSamplerDoesNot) {
  const auto [uneven, mixed] = disagreements(naive_draws);
  EXPECT_GT(uneven, 25) << "epochs of 50 whose last collective would wait for ever";
  EXPECT_GT(mixed, 0.5) << "of the steps wait for the rank with the longest samples";
  EXPECT_EQ(disagreements(&testing::draws_of), (std::pair{0, 0.0}));
}

}  // namespace
}  // namespace lockstep
