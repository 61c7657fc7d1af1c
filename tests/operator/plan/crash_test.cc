// Random histories: pods fail, vanish and are evicted, users suspend, views lag, and the operator
// dies between any two writes.
#include <gtest/gtest.h>

#include "tests/operator/plan/simulated_cluster.h"

namespace lockstep {
namespace {

constexpr int kHistories = 300;
constexpr int kSteps = 120;

TEST(Crashes, NeverBreakAnInvariantAndAlwaysLetTheJobEnd) {
  int crashes = 0, succeeded = 0, failed = 0, conflicts = 0;
  for (unsigned seed = 0; seed < kHistories; ++seed) {
    SimulatedCluster cluster(/*nodes=*/1 + seed % 4, /*backoff_limit=*/static_cast<int>(seed % 3),
                             seed);
    for (int step = 0; step < kSteps; ++step) {
      cluster.live();
      cluster.operate(/*may_crash=*/true);
    }
    for (int step = 0; step < 200 && !cluster.job().status().is_finished(); ++step) {
      cluster.live_kindly();
      cluster.operate(/*may_crash=*/false);
    }
    ASSERT_TRUE(cluster.world().faults().empty())
        << "seed " << seed << ": " << cluster.world().faults().front();
    ASSERT_TRUE(cluster.job().status().is_finished()) << "seed " << seed << "\n"
                                                      << cluster.world().picture();
    crashes += cluster.crashes();
    conflicts += cluster.conflicts();
    ++(cluster.job().status().phase == Phase::kSucceeded ? succeeded : failed);
  }
  // The histories have to reach what they are there for.
  EXPECT_GT(crashes, 300);
  EXPECT_GT(conflicts, 10);
  EXPECT_GT(succeeded, 50);
  EXPECT_GT(failed, 50);
}

}  // namespace
}  // namespace lockstep
