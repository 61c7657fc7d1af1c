// What the ranks write comes out in whole lines, whoever reads it or not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include "tests/trainer/launch/chatter_lines.h"
#include "tests/trainer/launch/launched.h"

namespace lockstep::test {
namespace {

TEST(LauncherOutput, TearsNoLineIn100Megabytes) {
  constexpr int kRanks = 4;
  Launched launched({"--nproc", std::to_string(kRanks), "--", CHATTER, "25"});
  ASSERT_EQ(launched.wait(), 0);
  EXPECT_GT(launched.output().size(), 100U << 20);
  expect_whole_chatter(launched.output(), kRanks);
}

TEST(LauncherOutput, KeepsALongLineAndAnUnfinishedOne) {
  Launched launched(shell(1, "head -c 900000 /dev/zero | tr '\\0' y; echo; printf end"));
  EXPECT_EQ(launched.wait(), 0);
  EXPECT_EQ(launched.output(), "[rank 0] " + std::string(900000, 'y') + "\n[rank 0] end\n");
}

TEST(LauncherOutput, ShowsALineAtOnce) {
  Launched launched(shell(1, "echo first; exec sleep 1000"));
  launched.wait_for("[rank 0] first\n");
  launched.signal(SIGTERM);
  EXPECT_EQ(launched.wait(), 143);
}

TEST(LauncherOutput, LosesItsReaderWithoutHarmToTheRanks) {
  Launched launched(shell(2, "trap 'exit 80' TERM; echo ready; while :; do echo tick; done"));
  launched.wait_for("ready", 2);
  launched.close_output();
  launched.signal(SIGTERM);
  EXPECT_EQ(launched.wait_deaf(), 80);
}

TEST(LauncherOutput, HearsSignalsWhileNobodyReads) {
  const auto written =
      std::filesystem::path(testing::TempDir()) / ("written-" + std::to_string(getpid()));
  Launched launched(shell(1, "head -c 1000000 /dev/zero | tr '\\0' y; echo; touch " +
                                 written.string() + "; exec sleep 1000"));
  wait_until("more to be written than pipes hold",
             [&] { return std::filesystem::remove(written); });
  launched.signal(SIGTERM);
  EXPECT_EQ(launched.wait_deaf(), 143);
}

// A terminal that says it can be written to may block all the same.
TEST(LauncherOutput, HearsSignalsWhileNobodyReadsItsTerminal) {
  const char* unread_terminal =
      "import os, pty, signal, sys, time\n"
      "pid, terminal = pty.fork()\n"
      "if pid == 0: os.execv(sys.argv[1], sys.argv[1:])\n"
      "time.sleep(1)\n"
      "os.kill(pid, signal.SIGTERM)\n"
      "sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))";
  Launched launched(shell(1, "head -c 1000000 /dev/zero | tr '\\0' '\\n'; exec sleep 1000"), {}, 0,
                    {"/usr/bin/python3", "-c", unread_terminal});
  EXPECT_EQ(launched.wait(), 143);
}

TEST(LauncherOutput, WaitsForAReaderThatPauses) {
  Launched launched(shell(1, "head -c 200000 /dev/zero | tr '\\0' '\\n'; echo last"));
  std::this_thread::sleep_for(std::chrono::seconds(6));
  EXPECT_EQ(launched.wait(), 0);
  EXPECT_THAT(launched.output(), testing::EndsWith("[rank 0] last\n"));
}

}  // namespace
}  // namespace lockstep::test
