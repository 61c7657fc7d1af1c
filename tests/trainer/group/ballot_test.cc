// How far apart ballots are.
#include "trainer/group/ballot.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

using namespace std::chrono_literals;

TEST(CallsUntilNextBallot, LetTheIntervalPass) {
  struct Case {
    int calls;
    std::chrono::nanoseconds took;
    int next;
  };
  for (const Case& test : {Case{40, 20ms, 40},    // 0.5 ms a call
                           Case{40, 40ms, 20},    // slower than before
                           Case{40, 4s, 1},       // one call takes longer than the interval
                           Case{1, 1h, 1},        //
                           Case{1, 1us, 2},       // quick, but seen once only
                           Case{8, 1us, 16},      // and again
                           Case{900, 1ms, 1000},  // never more
                           Case{5, 0ns, 10}}) {   // a clock that did not move
    EXPECT_EQ(calls_until_next_ballot(test.calls, test.took), test.next)
        << test.calls << " calls in " << test.took.count() << " ns";
  }
}

}  // namespace
}  // namespace lockstep
