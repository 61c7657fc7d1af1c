// Which steps are left out, and when training gives up.
#include "trainer/optim/non_finite.h"

#include <gtest/gtest.h>

#include <string>

#include "trainer/errors.h"

namespace lockstep {
namespace {

// 'x' is a step without number. Returns what became of each: t taken, o left out, D diverged.
std::string fates(NonFiniteGuard guard, const std::string& steps) {
  std::string fates;
  try {
    for (const char step : steps) fates += guard.admits(step != 'x', 1) ? 't' : 'o';
  } catch (const Diverged&) {
    fates += 'D';
  }
  return fates;
}

TEST(NonFiniteGuard, LeavesOutSoManyInARowAndThenGivesUp) {
  EXPECT_EQ(fates(NonFiniteGuard(0), "..x"), "ttD");
  EXPECT_EQ(fates(NonFiniteGuard(2), ".xx.xx.xx."), "tootootoot");
  EXPECT_EQ(fates(NonFiniteGuard(2), "xx.xxx."), "ootooD");
}

TEST(NonFiniteGuard, GoesOnCountingAfterAResume) {
  NonFiniteGuard guard(2);
  guard.admits(false, 1);
  guard.admits(false, 2);
  EXPECT_EQ(guard.in_a_row(), 2);
  EXPECT_EQ(fates(NonFiniteGuard(2, guard.in_a_row()), "x"), "D");
  EXPECT_EQ(fates(NonFiniteGuard(2, guard.in_a_row()), ".xx"), "too");
}

TEST(NonFiniteGuard, SaysWhereAndWhatToDo) {
  NonFiniteGuard guard(2);
  guard.admits(false, 40);
  guard.admits(false, 41);
  try {
    guard.admits(false, 42);
    FAIL() << "went on";
  } catch (const Diverged& error) {
    EXPECT_STREQ(error.what(),
                 "the loss or a gradient is not finite at step 42, nor at the 2 before: lower "
                 "optim.lr, lengthen the warm-up, or set optim.clip_norm");
  }
}

}  // namespace
}  // namespace lockstep
