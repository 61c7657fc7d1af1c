// How a gang is stopped: by a failure inside and by signals from outside.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>

#include "tests/support/temporary_directory.h"
#include "tests/trainer/launch/launched.h"

namespace lockstep::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::TemporaryDirectory;

// Waits for ever, waking for traps, after having said "ready".
std::string waiting(const std::string& traps) {
  return traps + "; echo ready; while :; do sleep 1000 & wait $!; done";
}

TEST(LauncherStop, AsksThePeersOfAFailedRankToEnd) {
  Launched launched(shell(3,
                          "[ $RANK = 2 ] && { read line; exit 5; }; "
                          "trap 'echo asked; exit 0' TERM; while :; do sleep 1000 & wait; done"));
  EXPECT_EQ(launched.wait(), 5) << "standard input is empty, so that read returns at once";
  EXPECT_THAT(launched.output(), HasSubstr("rank 2 exited with code 5: stopping the other ranks"));
  EXPECT_THAT(launched.processes(), IsEmpty());
}

TEST(LauncherStop, KillsAPeerThatIgnoresIt) {
  Launched launched(shell(2,
                          "[ $RANK = 1 ] && { trap '' TERM; echo ready; exec sleep 1000; }; "
                          "trap 'exit 9' USR1; echo pid=$$; while :; do sleep 1000 & wait; done",
                          {"--peer-grace", "0.2"}));
  launched.wait_for("ready");
  launched.wait_for("pid=");
  kill(launched.numbers("pid=").at(0), SIGUSR1);
  EXPECT_EQ(launched.wait(), 9);
  EXPECT_THAT(launched.output(), HasSubstr("rank 1 did not stop in time: killing it"));
  EXPECT_THAT(launched.processes(), IsEmpty());
}

TEST(LauncherStop, WaitsAboutASecondForPeersByDefault) {
  TemporaryDirectory directory;
  const std::string deaf = (directory / "deaf").string();
  const auto begin = std::chrono::steady_clock::now();
  Launched launched(shell(2, "[ $RANK = 1 ] && { until [ -e " + deaf +
                                 " ]; do :; done; exit 9; }; " + "trap '' TERM; : > " + deaf +
                                 "; exec sleep 1000"));
  EXPECT_EQ(launched.wait(), 9);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  EXPECT_GT(took.count(), 0.9);
  EXPECT_LT(took.count(), 10) << "far from the grace of a stop from outside";
}

TEST(LauncherStop, ForwardsASignalOnceAndExits80WhenAllSaved) {
  for (const auto& [number, name] : {std::pair{SIGTERM, "TERM"}, {SIGINT, "INT"}}) {
    Launched launched(shell(3, waiting("trap 'echo saved; exit 80' " + std::string(name))));
    launched.wait_for("ready", 3);
    launched.signal(number);
    EXPECT_EQ(launched.wait(), 80) << launched.output();
    launched.wait_for("saved", 3);
    EXPECT_THAT(launched.output(), HasSubstr("the ranks have 25 s to stop"));
    EXPECT_THAT(launched.processes(), IsEmpty());
  }
}

TEST(LauncherStop, AsksTheRanksWithSIGTERMWhenATerminalClosesOrQuits) {
  for (const int number : {SIGHUP, SIGQUIT}) {
    Launched launched(shell(2, waiting("trap 'exit 80' TERM")));
    launched.wait_for("ready", 2);
    launched.signal(number);
    EXPECT_EQ(launched.wait(), 80) << launched.output();
    EXPECT_THAT(launched.output(), HasSubstr(number == SIGHUP ? "SIGHUP: the" : "SIGQUIT: the"));
  }
}

// Many a program ends with 0 when it is told to stop: to whoever asks the job is not done.
TEST(LauncherStop, IsNoSuccessUnlessTheRanksSaidThatTheyWereDone) {
  Launched cut(shell(2, waiting("trap 'exit 0' TERM")));
  cut.wait_for("ready", 2);
  cut.signal(SIGTERM);
  EXPECT_EQ(cut.wait(), 80);
  const std::string done = R"(echo '{"phase": "done"}' > $LOCKSTEP_STATUS; exit 0)";
  Launched whole(shell(2, waiting("trap \"$DONE\" TERM")), {{"DONE", done}});
  whole.wait_for("ready", 2);
  whole.signal(SIGTERM);
  EXPECT_EQ(whole.wait(), 0) << whole.output();
}

TEST(LauncherStop, GoesOnWithoutItsTerminalUnderNohup) {
  Launched launched(shell(1, waiting("trap 'exit 80' TERM")), {}, 0, {"nohup"});
  launched.wait_for("ready");
  launched.signal(SIGHUP);
  launched.signal(SIGTERM);
  EXPECT_EQ(launched.wait(), 80);
  EXPECT_THAT(launched.output(), Not(HasSubstr("SIGHUP")));
}

// A signal that is held back when the launcher's program begins is the earliest there can be.
TEST(LauncherStop, StartsNothingWhenItIsStoppedFirst) {
  const char* early =
      "import os, signal, sys; signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM]); "
      "os.kill(os.getpid(), signal.SIGTERM); os.execv(sys.argv[1], sys.argv[1:])";
  Launched launched(shell(2, "echo started; exec sleep 1000"), {}, 0,
                    {"/usr/bin/python3", "-c", early});
  EXPECT_EQ(launched.wait(), 80) << "nothing ran, so that nothing is lost";
  EXPECT_THAT(launched.output(), HasSubstr("SIGTERM: "));
  EXPECT_THAT(launched.output(), Not(HasSubstr("started")));
}

TEST(LauncherStop, ForwardsToTheWholeProcessGroup) {
  Launched launched(shell(1,
                          "sh -c \"trap 'echo child asked; exit' TERM; echo ready; "
                          "while :; do sleep 1000 & wait \\$!; done\" & "
                          "trap 'wait; exit 80' TERM; echo ready; wait; wait"));
  launched.wait_for("ready", 2);
  launched.signal(SIGTERM);
  EXPECT_EQ(launched.wait(), 80);
  EXPECT_THAT(launched.output(), HasSubstr("child asked"));
}

TEST(LauncherStop, KillsAtTheSecondSignal) {
  Launched launched(shell(2, waiting("trap 'sleep 1.2; echo saving' TERM")));
  launched.wait_for("ready", 2);
  launched.signal(SIGTERM);
  launched.wait_for("saving", 2);
  launched.signal(SIGTERM);
  EXPECT_EQ(launched.wait(), 137);
  EXPECT_THAT(launched.output(), HasSubstr("stopped again"));
  EXPECT_THAT(launched.processes(), IsEmpty());
}

// timeout(1) signals its child and then the child's group; a terminal and a wrapper do alike.
TEST(LauncherStop, TakesTwoSignalsAtOnceForOneRequest) {
  Launched launched(shell(2, waiting("trap 'exit 80' TERM INT")));
  launched.wait_for("ready", 2);
  launched.signal(SIGTERM);
  launched.signal(SIGINT);
  EXPECT_EQ(launched.wait(), 80);
  EXPECT_THAT(launched.output(), Not(HasSubstr("stopped again")));
}

TEST(LauncherStop, KillsAfterTheGrace) {
  Launched launched(shell(2, waiting("trap 'echo saving' TERM"), {"--grace", "0.3"}));
  launched.wait_for("ready", 2);
  launched.signal(SIGTERM);
  EXPECT_EQ(launched.wait(), 137);
  EXPECT_THAT(launched.output(), HasSubstr("rank 0 did not stop in time: killing it"));
  EXPECT_THAT(launched.output(), HasSubstr("SIGKILL (signal 9), sent by the launcher"));
  EXPECT_THAT(launched.processes(), IsEmpty());
}

TEST(LauncherStop, TakesTheGraceFromTheOperator) {
  Launched launched(shell(1, waiting("trap '' TERM")), {{"LOCKSTEP_GRACE_SECONDS", "0"}});
  launched.wait_for("ready");
  launched.signal(SIGTERM);
  EXPECT_EQ(launched.wait(), 137);
}

TEST(LauncherStop, LetsTheOthersSaveWhenOneHasStopped) {
  Launched launched(shell(2,
                          "[ $RANK = 1 ] && exit 80; trap 'echo disturbed' TERM; "
                          "head -c 2000000 /dev/zero | tr '\\0' '\\n' >/dev/null; exit 80",
                          {"--peer-grace", "0"}));
  EXPECT_EQ(launched.wait(), 80);
  EXPECT_THAT(launched.output(), Not(HasSubstr("disturbed")));
}

TEST(LauncherStop, NamesTheRankThatFailedWhileStopping) {
  Launched launched(shell(2, waiting("trap 'exit 74' TERM; [ $RANK = 0 ] && trap 'exit 80' TERM")));
  launched.wait_for("ready", 2);
  launched.signal(SIGTERM);
  EXPECT_EQ(launched.wait(), 74);
  EXPECT_THAT(launched.output(), HasSubstr("failed: rank 1 exited with code 74"));
}

}  // namespace
}  // namespace lockstep::test
