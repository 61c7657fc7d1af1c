// No process outlives the launcher, and none is left a zombie while it runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>

#include "tests/trainer/launch/launched.h"

namespace lockstep::test {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

bool exists(pid_t pid) { return kill(pid, 0) == 0; }

TEST(LauncherProcesses, ReapsOrphansWhileItRuns) {
  // The inner shell is orphaned when the middle one ends, then ends itself.
  Launched launched(shell(1,
                          "sh -c '(echo orphan=$(exec sh -c \"echo \\$PPID\"); exit 0) & exit 0'; "
                          "echo ready; exec sleep 1000"));
  launched.wait_for("ready");
  launched.wait_for("orphan=");
  const pid_t orphan = launched.numbers("orphan=").at(0);
  wait_until("the orphan to be reaped", [&] { return !exists(orphan); });
  launched.signal(SIGTERM);
  EXPECT_EQ(launched.wait(), 143);
}

TEST(LauncherProcesses, EndsWhatTheRanksLeaveBehind) {
  const char* script =
      "setsid sh -c \"trap '' TERM; echo up; exec sleep 1000\" & "
      "(setsid setsid sleep 1000 & ) ; sleep 1000 & read line; "
      "while ! [ -e /proc/$! ]; do :; done; exit 0";
  Launched launched(shell(2, script, {"--peer-grace", "0.2"}));
  EXPECT_EQ(launched.wait(), 0) << launched.output();
  EXPECT_THAT(launched.processes(), IsEmpty());
}

TEST(LauncherProcesses, AsksWhatTheRanksLeaveBehindToEndFirst) {
  const auto up = std::filesystem::path(testing::TempDir()) / ("up-" + std::to_string(getpid()));
  Launched launched(shell(1,
                          "setsid sh -c \"trap 'echo asked; exit' TERM; sleep 1000 & touch " +
                              up.string() +
                              "; wait\" & "
                              "while ! [ -e " +
                              up.string() + " ]; do :; done; exit 0",
                          {"--peer-grace", "20"}));
  EXPECT_EQ(launched.wait(), 0);
  EXPECT_THAT(launched.output(), testing::HasSubstr("asked"));
  std::filesystem::remove(up);
}

TEST(LauncherProcesses, DieWithAKilledLauncher) {
  Launched launched(shell(3, "trap '' TERM; echo pid=$$; exec sleep 1000"));
  launched.wait_for("pid=", 3);
  const auto ranks = launched.numbers("pid=");
  ASSERT_THAT(ranks, SizeIs(3));
  launched.signal(SIGKILL);
  EXPECT_EQ(launched.wait(), 137);
  wait_until("the ranks to be gone", [&] { return launched.processes().empty(); });
}

}  // namespace
}  // namespace lockstep::test
