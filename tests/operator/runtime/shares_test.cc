// Shares are fair whatever is wanted.
#include "operator/runtime/shares.h"

#include <gmock/gmock.h>

#include <numeric>
#include <random>

namespace lockstep {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(FairShares, GiveTheSmallTheirWishAndTheLargeTheRest) {
  EXPECT_THAT(fair_shares({}, 256), IsEmpty());
  EXPECT_THAT(fair_shares({1, 4096, 1}, 256), ElementsAre(1, 254, 1));
  EXPECT_THAT(fair_shares({4096, 4096, 10}, 256), ElementsAre(123, 123, 10));
  EXPECT_THAT(fair_shares({3, 3, 3}, 100), ElementsAre(3, 3, 3));
  EXPECT_THAT(fair_shares({9, 9, 9}, 10), ElementsAre(4, 3, 3));
  EXPECT_THAT(fair_shares({1, 1, 1, 1}, 2), ElementsAre(1, 1, 0, 0)) << "the first in the row";
  EXPECT_THAT(fair_shares({0, 5}, 3), ElementsAre(0, 3));
}

TEST(FairShares, LeaveNothingOverAndNobodyBehind) {
  std::mt19937 random(5);
  for (int round = 0; round < 1000; ++round) {
    std::vector<std::size_t> wanted(random() % 20);
    for (std::size_t& each : wanted) each = random() % 50;
    const std::size_t most = random() % 300;
    const auto shares = fair_shares(wanted, most);
    const auto all = [](const std::vector<std::size_t>& list) {
      return std::accumulate(list.begin(), list.end(), std::size_t{0});
    };
    ASSERT_EQ(all(shares), std::min(all(wanted), most));
    for (std::size_t i = 0; i < shares.size(); ++i) {
      ASSERT_LE(shares[i], wanted[i]);
      for (std::size_t j = 0; j < shares.size(); ++j) {
        ASSERT_TRUE(shares[i] == wanted[i] || shares[i] + 1 >= shares[j]) << i << " " << j;
      }
    }
  }
}

}  // namespace
}  // namespace lockstep
