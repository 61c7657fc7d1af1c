// Ranks that stand still are told, asked where they are, and ended.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "tests/support/temporary_directory.h"
#include "tests/trainer/launch/launched.h"

namespace lockstep::test {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::TemporaryDirectory;
using Flags = std::vector<std::string>;

// Rank 0 reports step 7, rank 1 step 6, and so on.
constexpr char kReport[] =
    R"(echo '{"phase":"step","epoch":1,"step":'$((7 - RANK))'}' > $LOCKSTEP_STATUS; echo pid=$$; )";
constexpr char kStandStill[] = "while :; do sleep 1000 & wait $!; done";
const Flags kHalfASecond = {"--hang-timeout", "0.5"};

std::string reports_then(const std::string& script) { return kReport + script; }

TEST(LauncherHang, EndsANodeOnWhichNoRankMoves) {
  TemporaryDirectory directory;
  testing::set_content(directory / "log", "");
  Launched launched(shell(2, reports_then("exec sleep 1000"), kHalfASecond),
                    {{"LOCKSTEP_TERMINATION_LOG", directory / "log"}});
  EXPECT_EQ(launched.wait(), 124);
  const std::string words =
      "rank 1 hangs: silent for [0-9]+ s, last heard of in phase step, epoch 1, step 6";
  EXPECT_THAT(launched.output(), ContainsRegex("\\[launch\\] " + words + "\n"));
  EXPECT_THAT(launched.output(), ContainsRegex(words + ": stopping all ranks\n"));
  EXPECT_THAT(launched.output(), ContainsRegex("failed: " + words + "\n"));
  EXPECT_THAT(launched.output(), ContainsRegex("process [0-9]+ \\(sleep\\)\n"));
  EXPECT_THAT(launched.output(), ContainsRegex("thread sleep: sleeping in [a-z_]*nanosleep"));
  EXPECT_THAT(launched.processes(), IsEmpty());
  auto message = nlohmann::json::parse(testing::content_of(directory / "log"));
  EXPECT_EQ(message["rank"], 1);
  EXPECT_EQ(message["exitCode"], 124);
  EXPECT_THAT(message["reason"].get<std::string>(), ContainsRegex(words));
  EXPECT_GE(message["hang"]["seconds"], 1);
  message["hang"].erase("seconds");
  EXPECT_EQ(message["hang"],
            nlohmann::json::parse(R"({"stopped":false,"phase":"step","epoch":1,"step":6})"));
}

TEST(LauncherHang, LeavesANodeAloneOnWhichOneRankMoves) {
  TemporaryDirectory directory;
  const std::string end = directory / "end";
  Launched launched(shell(2,
                          reports_then("if [ $RANK = 0 ]; then for i in $(seq 40); do sleep 0.1; "
                                       "echo {} > $LOCKSTEP_STATUS; done; : > " +
                                       end + "; fi; until [ -e " + end + " ]; do sleep 0.1; done"),
                          {"--hang-timeout", "3"}));
  EXPECT_EQ(launched.wait(), 0) << launched.output();
  EXPECT_THAT(launched.output(), Not(HasSubstr("hangs")));
}

TEST(LauncherHang, GivesTheOthersTimeWhenARankEnds) {
  const char* script =
      "[ $RANK = 1 ] && exec sleep 5; "
      "for i in $(seq 35); do sleep 0.1; echo {} > $LOCKSTEP_STATUS; done";
  Launched launched(shell(2, reports_then(script), {"--hang-timeout", "3"}));
  EXPECT_EQ(launched.wait(), 0) << launched.output();
  EXPECT_THAT(launched.output(), Not(HasSubstr("hangs")));
}

TEST(LauncherHang, BlamesAStoppedRankAndKillsIt) {
  Launched launched(
      shell(3, reports_then(kStandStill), {"--hang-timeout", "1", "--peer-grace", "20"}));
  launched.wait_for("[rank 1] pid=");
  const std::string& output = launched.output();
  launched.wait_for("pid=", 3);
  kill(std::atoi(output.c_str() + output.find("[rank 1] pid=") + 13), SIGSTOP);
  EXPECT_EQ(launched.wait(), 124) << "long before the grace of its peers is over";
  EXPECT_THAT(output, HasSubstr("failed: rank 1 hangs: stopped (SIGSTOP), silent for"));
  EXPECT_THAT(output, HasSubstr("thread sh: stopped (SIGSTOP)\n"));
  EXPECT_THAT(launched.processes(), IsEmpty());
}

TEST(LauncherHang, ShowsWherePythonStandsStill) {
  TemporaryDirectory directory;
  testing::set_content(directory / "train.py",
                       "import os, time\n"
                       "def waits_for_godot():\n"
                       "    time.sleep(1000)\n"
                       "open(os.environ['LOCKSTEP_STATUS'], 'w').write('{\"step\": 3}\\n')\n"
                       "waits_for_godot()\n");
  Launched launched({"--hang-timeout", "0.5", "/usr/bin/python3", directory / "train.py"});
  EXPECT_EQ(launched.wait(), 124);
  EXPECT_THAT(launched.output(), HasSubstr("line 3 in waits_for_godot"));
}

TEST(LauncherHang, AsksAllRanksForTheirStacksFirst) {
  Launched launched(
      shell(2, "trap 'echo my stacks' USR1; " + reports_then(kStandStill), kHalfASecond));
  EXPECT_EQ(launched.wait(), 124);
  launched.wait_for("my stacks", 2);
  EXPECT_LT(launched.output().rfind("my stacks"), launched.output().find("stopping all ranks"));
}

TEST(LauncherHang, EndsNobodyWhenARankGoesOn) {
  const char* goes_on =
      "trap 'asked=1' USR1; until [ $asked ]; do sleep 0.1; done; "
      "for i in $(seq 30); do echo '{}' > $LOCKSTEP_STATUS; sleep 0.1; done";
  Launched launched(shell(1, reports_then(goes_on), {"--hang-timeout", "1.5"}));
  EXPECT_EQ(launched.wait(), 0) << launched.output();
  EXPECT_THAT(launched.output(), HasSubstr("rank 0 hangs no longer"));
}

TEST(LauncherHang, IsNotHiddenByWhatFollowsFromIt) {
  Launched launched(
      shell(2, "[ $RANK = 0 ] && trap 'exit 1' USR1; " + reports_then(kStandStill), kHalfASecond));
  EXPECT_EQ(launched.wait(), 124);
  EXPECT_THAT(launched.output(), HasSubstr("failed: rank 1 hangs"));
}

TEST(LauncherHang, IsNotWhatAFrozenMachineDoes) {
  const auto now = [] { return std::chrono::steady_clock::now(); };
  Launched launched(shell(2,
                          reports_then("while :; do echo {} > $LOCKSTEP_STATUS; sleep 0.1; done"),
                          {"--hang-timeout", "2"}));
  launched.wait_for("pid=", 2);
  for (const pid_t pid : launched.processes()) kill(pid, SIGSTOP);
  const auto thaw = now() + std::chrono::milliseconds(3500);
  wait_until("the thaw", [&] { return now() > thaw; });
  launched.signal(SIGCONT);  // the launcher sees the silence first
  wait_until("it to look",
             [&, later = now() + std::chrono::milliseconds(200)] { return now() > later; });
  for (const pid_t pid : launched.processes()) kill(pid, SIGCONT);
  launched.signal(SIGTERM);
  EXPECT_EQ(launched.wait(), 143);
  EXPECT_THAT(launched.output(), Not(HasSubstr("hangs")));
}

TEST(LauncherHang, GivesWayToAStopFromOutside) {
  Launched launched(shell(1, "trap 'exit 80' TERM; " + reports_then(kStandStill), kHalfASecond));
  launched.wait_for("hangs");
  launched.signal(SIGTERM);
  EXPECT_EQ(launched.wait(), 80);
}

}  // namespace
}  // namespace lockstep::test
