// After which outcomes the ranks are started again.
#include "trainer/launch/restarts.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

Outcome outcome(int code, bool was_told_to_stop = false) {
  Outcome outcome;
  outcome.verdict.exit_code = code;
  outcome.was_told_to_stop = was_told_to_stop;
  if (code != 0 && code != 80) outcome.verdict.culprit = Exit{.rank = 0, .code = code};
  return outcome;
}

// The codes of docs/api.md: 64, 65, 71, 126 and 127 are permanent there.
TEST(Restarts, AreForFailuresThatMayPass) {
  for (const int code : {1, 3, 70, 74, 75, 134, 137, 139}) {
    EXPECT_TRUE(is_worth_another_attempt(outcome(code))) << code;
    EXPECT_FALSE(is_worth_another_attempt(outcome(code, true))) << code << " after a stop";
  }
  for (const int code : {0, 64, 65, 71, 80, 126, 127}) {
    EXPECT_FALSE(is_worth_another_attempt(outcome(code))) << code;
  }
}

}  // namespace
}  // namespace lockstep
