// Ranks that are started again in place.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "tests/support/temporary_directory.h"
#include "tests/trainer/launch/launched.h"

namespace lockstep::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::TemporaryDirectory;

constexpr char kCount[] =
    "echo attempt $TORCHELASTIC_RESTART_COUNT/$TORCHELASTIC_MAX_RESTARTS on $MASTER_PORT; ";

TEST(LauncherRestarts, StartAllRanksAgainUntilTheySucceed) {
  TemporaryDirectory directory;
  const std::string heard = (directory / "heard-").string() + "$TORCHELASTIC_RESTART_COUNT";
  const std::string script =
      kCount + ("[ $TORCHELASTIC_RESTART_COUNT = 2 ] && exit 0; [ $RANK = 0 ] && { : > " + heard +
                "; exec sleep 1000; }; until [ -e " + heard + " ]; do :; done; exit 3");
  Launched launched(shell(2, script, {"--max-restarts", "2", "--master-port", "29777"}));
  EXPECT_EQ(launched.wait(), 0);
  for (const char* attempt : {"0/2", "1/2", "2/2"}) {
    for (const char* rank : {"0", "1"}) {
      EXPECT_THAT(launched.output(),
                  HasSubstr("[rank " + std::string(rank) + "] attempt " + attempt + " on 29777\n"));
    }
  }
  launched.wait_for("[launch] failed: rank 1 exited with code 3\n", 2);
  EXPECT_THAT(launched.output(), HasSubstr("[launch] restart 2 of 2\n"));
  EXPECT_THAT(launched.processes(), IsEmpty());
}

TEST(LauncherRestarts, EndWithTheLastRootCause) {
  Launched launched(shell(1, "exit $((3 + $TORCHELASTIC_RESTART_COUNT))", {"--max-restarts=2"}));
  EXPECT_EQ(launched.wait(), 5);
}

TEST(LauncherRestarts, AreNotMadeAfterAPermanentFailureOrWithoutTheFlag) {
  const struct {
    const char* script;
    std::vector<std::string> flags;
    int code;
  } cases[] = {{"exit 65", {"--max-restarts=2"}, 65},
               {"exit 80", {"--max-restarts=2"}, 80},
               {"exit 3", {}, 3}};
  for (const auto& c : cases) {
    Launched launched(shell(1, c.script, c.flags));
    EXPECT_EQ(launched.wait(), c.code);
    EXPECT_THAT(launched.output(), Not(HasSubstr("restart "))) << c.script;
  }
}

TEST(LauncherRestarts, AreNotMadeAfterAStopFromOutside) {
  Launched launched(shell(2, "trap 'exit 3' TERM; echo ready; while :; do sleep 1000 & wait; done",
                          {"--max-restarts=2"}));
  launched.wait_for("ready", 2);
  launched.signal(SIGTERM);
  EXPECT_EQ(launched.wait(), 3);
  EXPECT_THAT(launched.output(), Not(HasSubstr("restart ")));
}

TEST(LauncherRestarts, AreLeftToTheOperator) {
  Launched launched(shell(1, "exit 3", {"--max-restarts=2"}), {{"LOCKSTEP_JOB_UID", "5f0c"}});
  EXPECT_EQ(launched.wait(), 3);
  EXPECT_THAT(launched.output(),
              HasSubstr("[launch] --max-restarts is ignored here: the operator restarts the whole "
                        "job\n"));
  EXPECT_THAT(launched.output(), Not(HasSubstr("restart 1")));
}

// The rank of the second node sees that the first one has gone, as a lost peer.
TEST(LauncherRestarts, OfTwoNodesGoTogether) {
  TemporaryDirectory directory;
  const std::string gone = (directory / "gone").string();
  const std::string script =
      "echo rank $RANK attempt $TORCHELASTIC_RESTART_COUNT; "
      "[ $TORCHELASTIC_RESTART_COUNT = 1 ] && exit 0; [ $RANK = 0 ] && { : > " +
      gone + "; exit 3; }; until [ -e " + gone + " ]; do :; done; exit 75";
  const auto flags = [](const char* rank) {
    return std::vector<std::string>{"--max-restarts=1", "--hosts=127.0.0.1,127.0.0.2",
                                    "--node-rank", rank};
  };
  Launched first(shell(1, script, flags("0"))), second(shell(1, script, flags("1")));
  EXPECT_EQ(first.wait(), 0);
  EXPECT_EQ(second.wait(), 0);
  EXPECT_THAT(first.output(), HasSubstr("rank 0 attempt 1"));
  EXPECT_THAT(second.output(), HasSubstr("rank 1 attempt 1"));
}

// Then no rank runs, and nothing but the launcher can hear the signal.
TEST(LauncherRestarts, EndWhenAStopComesBetweenTwoAttempts) {
  Launched launched(
      shell(1, "exit 3", {"--max-restarts=2", "--hosts=127.0.0.1,127.0.0.2", "--node-rank=0"}));
  launched.wait_for("[launch] restart 1 of 2 follows in 3 s\n");
  launched.signal(SIGTERM);
  EXPECT_EQ(launched.wait(), 3);
  EXPECT_THAT(launched.output(), Not(HasSubstr("restart 2 ")));
}

}  // namespace
}  // namespace lockstep::test
