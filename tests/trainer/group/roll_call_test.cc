// What is said of ranks that did not come.
#include "trainer/group/roll_call.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

using namespace std::chrono_literals;

std::string seen_by_rank_0(std::vector<std::string> doing) { return absence(doing, 0, 60s); }

TEST(Absence, NamesThoseWhoDidNotAnswer) {
  EXPECT_EQ(seen_by_rank_0({"step 17", "", "step 17"}),
            "rank 1 did not come to step 17 within 60 s");
  EXPECT_EQ(seen_by_rank_0({"step 17", "", "step 17", ""}),
            "ranks 1, 3 did not come to step 17 within 60 s");
  std::vector<std::string> doing(21);
  doing[0] = "step 17";
  EXPECT_EQ(seen_by_rank_0(doing),
            "ranks 1, 2, 3, 4, 5, 6, 7, 8 and 12 more did not come to step 17 within 60 s");
}

TEST(Absence, NamesOneWhoWaitsElsewhere) {
  EXPECT_EQ(seen_by_rank_0({"step 17", "step 17", "step 16"}),
            "rank 2 waits in step 16 and rank 0 in step 17, for 60 s");
}

TEST(Absence, SuspectsTheNetworkWhenAllAreThere) {
  EXPECT_EQ(seen_by_rank_0({"step 17", "step 17"}),
            "all ranks came to step 17, but the network between them carried nothing for 60 s");
}

}  // namespace
}  // namespace lockstep
