// Who failed first, and for a reason of its own.
#include "trainer/launch/root_cause.h"

#include <gtest/gtest.h>

#include <csignal>

namespace lockstep {
namespace {

Exit code(int rank, int code) { return {.rank = rank, .code = code}; }
Exit killed(int rank, int signal) { return {.rank = rank, .code = 128 + signal, .signal = signal}; }
Exit by_us(Exit exit) {
  exit.sent_by_us = true;
  return exit;
}

TEST(RootCause, IsTheEarliestFailureOfItsOwn) {
  constexpr int kNobody = -1;
  const struct {
    const char* name;
    std::vector<Exit> exits;
    int exit_code;
    int culprit;
  } cases[] = {
      {"all finished", {code(0, 0), code(1, 0)}, 0, kNobody},
      {"all saved", {code(0, 80), code(1, 80)}, 80, kNobody},
      {"one had nothing to save", {code(0, 80), code(1, 0)}, 80, kNobody},
      {"nothing ran", {}, 80, kNobody},
      {"first of two", {code(2, 3), code(1, 4)}, 3, 2},
      {"lost peer noticed first", {code(0, 75), code(1, 1)}, 1, 1},
      {"crash after the peers noticed", {code(0, 75), killed(1, SIGSEGV)}, 139, 1},
      {"only lost peers", {code(1, 75), code(0, 75)}, 75, 1},
      {"our signals", {code(1, 9), by_us(killed(0, SIGTERM))}, 9, 1},
      {"our signal seen first", {by_us(killed(0, SIGTERM)), code(1, 75)}, 75, 1},
      {"only our signals", {by_us(killed(1, SIGTERM)), by_us(killed(0, SIGKILL))}, 143, 1},
      {"out of memory", {killed(3, SIGKILL), by_us(killed(0, SIGKILL))}, 137, 3},
      {"saved but one failed", {code(0, 80), code(1, 74)}, 74, 1},
      {"failed, then saved", {code(1, 74), code(0, 80)}, 74, 1},
      {"handled our signal", {code(1, 71), by_us(code(0, 143))}, 71, 1},
  };
  for (const auto& c : cases) {
    const Verdict verdict = judge(c.exits);
    EXPECT_EQ(verdict.exit_code, c.exit_code) << c.name;
    EXPECT_EQ(verdict.culprit ? verdict.culprit->rank : kNobody, c.culprit) << c.name;
  }
}

TEST(RootCause, IsDescribedInWords) {
  EXPECT_EQ(describe(code(3, 1)), "rank 3 exited with code 1");
  EXPECT_EQ(describe(killed(0, SIGSEGV)), "rank 0 was killed by SIGSEGV (signal 11)");
  EXPECT_EQ(describe(killed(0, SIGKILL)),
            "rank 0 was killed by SIGKILL (signal 9), by the kernel if memory ran out");
  EXPECT_EQ(describe(by_us(killed(2, SIGKILL))),
            "rank 2 was killed by SIGKILL (signal 9), sent by the launcher");
  EXPECT_EQ(describe({.rank = 1, .code = 127, .note = "cannot start 'x'"}),
            "rank 1 cannot start 'x'");
}

}  // namespace
}  // namespace lockstep
