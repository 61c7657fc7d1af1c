// Which parameter goes into which bucket.
#include "trainer/ddp/bucket_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace lockstep {
namespace {

using Buckets = std::vector<std::vector<std::size_t>>;

constexpr std::size_t kMib = 1024 * 1024;

TEST(BucketLayout, GoesFromTheLastParameterToTheFirst) {
  EXPECT_EQ(bucket_layout({10, 20, 30}, {}), (Buckets{{2, 1, 0}}));
}

TEST(BucketLayout, OpensWithASmallBucket) {
  const DdpConfig config{.first_bucket_mib = 1, .bucket_mib = 25};
  EXPECT_EQ(bucket_layout({9 * kMib, 20 * kMib, 4 * kMib, kMib / 2, kMib / 2}, config),
            (Buckets{{4, 3}, {2, 1, 0}}));
  EXPECT_EQ(bucket_layout({9 * kMib, 21 * kMib, 4 * kMib, kMib / 2, kMib / 2}, config),
            (Buckets{{4, 3}, {2, 1}, {0}}));
}

TEST(BucketLayout, PutsAParameterLargerThanABucketIntoOne) {
  EXPECT_EQ(bucket_layout({kMib, 99 * kMib}, {}), (Buckets{{1}, {0}}));
}

TEST(BucketLayout, HoldsEachParameterOnceWhateverTheSizes) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::size_t> sizes(random() % 40);
    for (std::size_t& size : sizes) size = random() % (3 * kMib);
    std::vector<std::size_t> seen;
    for (const auto& bucket : bucket_layout(sizes, {.first_bucket_mib = 1, .bucket_mib = 2})) {
      EXPECT_FALSE(bucket.empty());
      seen.insert(seen.end(), bucket.begin(), bucket.end());
    }
    EXPECT_EQ(seen.size(), sizes.size());
    EXPECT_TRUE(std::is_sorted(seen.rbegin(), seen.rend()));
    EXPECT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end());
  }
}

}  // namespace
}  // namespace lockstep
