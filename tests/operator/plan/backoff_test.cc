// The waits between restarts.
#include "operator/plan/backoff.h"

#include <gtest/gtest.h>

#include "tests/support/job_builder.h"

namespace lockstep {
namespace {

TEST(Backoff, StartsAtOnceAndDoublesToFiveMinutes) {
  const int expected[] = {0, 0, 10, 20, 40, 80, 160, 300, 300};
  for (int n = 0; n < 9; ++n) EXPECT_EQ(restart_delay({}, n).count(), expected[n]) << n;
  EXPECT_EQ(restart_delay({}, 2'000'000'000).count(), 300);
}

TEST(Backoff, KeepsToTheUsersOwnNumbers) {
  const RestartBackoff backoff{.initial_seconds = 7, .max_seconds = 20};
  const int expected[] = {0, 0, 7, 14, 20, 20};
  for (int n = 0; n < 6; ++n) EXPECT_EQ(restart_delay(backoff, n).count(), expected[n]) << n;
  const RestartBackoff none{.initial_seconds = 0, .max_seconds = 0};
  EXPECT_EQ(restart_delay(none, 1000).count(), 0);
  const RestartBackoff year{.initial_seconds = 31'536'000, .max_seconds = 31'536'000};
  EXPECT_EQ(restart_delay(year, 2'000'000'000).count(), 31'536'000) << "without overflow";
}

TEST(Backoff, CountsAnewAfterAStableStretch) {
  JobStatus status = a_job().running().job().status;  // since noon
  status.restarts.consecutive = 5;
  for (const int stretch : {1, 600, 3600}) {
    const RestartBackoff backoff{.reset_after_seconds = stretch};
    EXPECT_EQ(restarts_in_a_row(backoff, status, after(stretch - 1)), 6);
    EXPECT_EQ(restarts_in_a_row(backoff, status, after(stretch)), 1);
  }
}

TEST(Backoff, TakesNoTimeForStableInWhichNotAllNodesRan) {
  JobStatus status = a_job().attempt(1).job().status;
  status.restarts.consecutive = 5;
  EXPECT_EQ(restarts_in_a_row({}, status, after(100'000)), 6);
}

}  // namespace
}  // namespace lockstep
