// How long a step may take.
#include "trainer/patience.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

using namespace std::chrono_literals;

class PatienceTest : public ::testing::Test {
 protected:
  // The patience in the step after so many of this length.
  std::chrono::seconds after(Patience& patience, int steps, Patience::Duration each) {
    for (int step = 0; step < steps; ++step) {
      patience.of_step(now_);
      now_ += each;
    }
    return patience.of_step(now_);
  }

  Patience::Time now_{1h};
};

TEST_F(PatienceTest, IsLongInTheFirstStepsAndThenTwentyUsualOnes) {
  Patience patience(600s);
  EXPECT_EQ(patience.of_step(now_), 600s);
  EXPECT_EQ(after(patience, 3, 10s), 600s);
  EXPECT_EQ(after(patience, 3, 10s), 200s);
}

TEST_F(PatienceTest, IsNeverTooShort) {
  Patience patience(600s);
  EXPECT_EQ(after(patience, 100, 1ms), 60s);
}

TEST_F(PatienceTest, IsNotMovedByASlowStep) {
  Patience patience(600s);
  after(patience, 20, 10s);
  EXPECT_EQ(after(patience, 1, 500s), 200s);
}

TEST_F(PatienceTest, FollowsStepsThatBecomeSlower) {
  Patience patience(600s);
  after(patience, 100, 10s);
  EXPECT_EQ(after(patience, 31, 20s), 400s);
}

TEST_F(PatienceTest, IsLongAfterAPauseWhichIsNoStep) {
  Patience patience(600s);
  after(patience, 20, 10s);
  EXPECT_EQ(patience.of_pause(), 600s);
  now_ += 1h;
  EXPECT_EQ(patience.of_step(now_), 600s);
  EXPECT_EQ(after(patience, 1, 10s), 200s);
}

TEST_F(PatienceTest, IsAsToldAfterTheFirstStep) {
  Patience patience(600s, 30s);
  EXPECT_EQ(patience.of_step(now_), 600s);
  EXPECT_EQ(after(patience, 1, 10s), 30s);
}

}  // namespace
}  // namespace lockstep
