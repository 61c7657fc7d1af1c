// The permutation against torch.randperm's own results.
#include "trainer/data/random_permutation.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/trainer/data/golden.h"

namespace lockstep {
namespace {

TEST(RandomPermutation, EqualsTorchRandperm) {
  const nlohmann::json cases = testing::golden_cases("random_permutation.json");
  ASSERT_EQ(cases.size(), 66u);
  for (const auto& golden : cases) {
    testing::expect_golden(golden, random_permutation(golden["size"], golden["seed"]));
  }
}

TEST(RandomPermutation, HoldsEachIndexOnce) {
  std::vector<std::int64_t> order = random_permutation(1000, 7);
  EXPECT_FALSE(std::ranges::is_sorted(order));
  std::ranges::sort(order);
  for (std::int64_t i = 0; i < 1000; ++i) EXPECT_EQ(order[i], i);
}

TEST(RandomPermutation, RefusesANegativeSize) {
  EXPECT_THROW(random_permutation(-1, 0), std::invalid_argument);
}

}  // namespace
}  // namespace lockstep
