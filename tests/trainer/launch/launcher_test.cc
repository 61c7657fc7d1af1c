// Exit codes, root cause and termination message of the real program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/trainer/launch/launched.h"

namespace lockstep::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class TerminationLog : public testing::Test {
 protected:
  TerminationLog() { std::ofstream(file_) << ""; }
  ~TerminationLog() override { std::filesystem::remove(file_); }

  std::map<std::string, std::string> environment() const {
    return {{"LOCKSTEP_TERMINATION_LOG", file_.string()}};
  }
  std::string text() const {
    std::ifstream stream(file_);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  std::filesystem::path file_ =
      std::filesystem::path(testing::TempDir()) / ("termination-log-" + std::to_string(getpid()));
};

TEST(Launcher, GivesRanksTheirVariables) {
  Launched launched(shell(2,
                          "echo $RANK/$WORLD_SIZE $LOCAL_RANK/$LOCAL_WORLD_SIZE "
                          "$GROUP_RANK/$GROUP_WORLD_SIZE $MASTER_ADDR:$MASTER_PORT"),
                    {{"NNODES", "2"},
                     {"NODE_RANK", "1"},
                     {"LOCKSTEP_RANK_OFFSET", "3"},
                     {"WORLD_SIZE", "5"},
                     {"MASTER_ADDR", "head"}});
  EXPECT_EQ(launched.wait(), 0);
  EXPECT_THAT(launched.output(), HasSubstr("[rank 3] 3/5 0/2 1/2 head:29500\n"));
  EXPECT_THAT(launched.output(), HasSubstr("[rank 4] 4/5 1/2 1/2 head:29500\n"));
}

TEST(Launcher, StandaloneServesOnAFreePort) {
  Launched launched(shell(1, "echo port=$MASTER_PORT", {"--standalone"}));
  EXPECT_EQ(launched.wait(), 0);
  EXPECT_GT(launched.numbers("port=").at(0), 1023);
}

TEST(Launcher, ExitsAsTheRootCauseDid) {
  const struct {
    const char* name;
    const char* script;
    int code;
  } cases[] = {
      {"all finish", "exit 0", 0},
      {"one fails", "[ $RANK = 1 ] && exit 7; exec sleep 1000", 7},
      {"one crashes", "[ $RANK = 1 ] && kill -SEGV $$; exec sleep 1000", 139},
      {"one is killed", "[ $RANK = 2 ] && kill -KILL $$; exec sleep 1000", 137},
      {"all saved", "exit 80", 80},
      {"one had nothing to save", "[ $RANK = 0 ] && exit 80; exit 0", 80},
      {"a rank finishes long before the others",
       "[ $RANK = 0 ] && exit 0; head -c 3000000 /dev/zero | tr '\\0' '\\n' >/dev/null", 0},
  };
  for (const auto& c : cases) {
    Launched launched(shell(3, c.script));
    EXPECT_EQ(launched.wait(), c.code) << c.name << "\n" << launched.output();
    EXPECT_THAT(launched.processes(), IsEmpty()) << c.name;
  }
}

TEST_F(TerminationLog, KeepsTheProgressOfARunThatEndedWell) {
  const std::string report = R"(echo "{\"step\": 9, \"steps\": 9}" > $LOCKSTEP_STATUS)";
  Launched well(shell(2, report), environment());
  EXPECT_EQ(well.wait(), 0);
  EXPECT_EQ(text(), R"({"progress":{"rank":0,"step":9,"steps":9}})");
  Launched mute(shell(2, "exit 0"), {{"LOCKSTEP_TERMINATION_LOG", file_.string() + "-none"}});
  EXPECT_EQ(mute.wait(), 0);
  EXPECT_FALSE(std::filesystem::exists(file_.string() + "-none"));
}

TEST(Launcher, BlamesARankThatEndsAfterItsPeersNoticed) {
  Launched launched(shell(2,
                          "if [ $RANK = 0 ]; then trap 'exit 75' USR1; echo pid=$$; "
                          "else trap 'exit 3' TERM; fi; echo ready; "
                          "while :; do sleep 1000 & wait $!; done"));
  launched.wait_for("ready", 2);
  kill(launched.numbers("pid=").at(0), SIGUSR1);
  EXPECT_EQ(launched.wait(), 3);
  EXPECT_THAT(launched.output(), HasSubstr("failed: rank 1 exited with code 3"));
}

TEST(Launcher, SaysInOneSentenceWhyAProgramCannotStart) {
  const auto script = std::filesystem::path(testing::TempDir()) / "script";
  std::ofstream(script) << "#!/nonesuch/interpreter\n";
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  const struct {
    std::string program;
    int code;
    const char* words;
  } cases[] = {
      {"no-such-program", 127, "cannot start 'no-such-program': no such program in PATH\n"},
      {"/no/such/file", 127, "cannot start '/no/such/file': no such file\n"},
      {script.string(), 127, "the interpreter or loader it names does not exist\n"},
      {"/etc/passwd", 126, "cannot start '/etc/passwd': it is not executable (chmod +x)\n"},
      {"/etc", 126, "cannot start '/etc': it is a directory\n"},
  };
  for (const auto& c : cases) {
    Launched launched({"--nproc", "2", c.program});
    EXPECT_EQ(launched.wait(), c.code) << c.program;
    EXPECT_THAT(launched.output(), HasSubstr(c.words));
    EXPECT_EQ(std::count(launched.output().begin(), launched.output().end(), '\n'), 1);
  }
}

TEST(Launcher, RefusesAMisspeltFlagWithTheNearestOne) {
  Launched launched({"--nprocs", "2", "true"});
  EXPECT_EQ(launched.wait(), 64);
  EXPECT_EQ(launched.output(), "lockstep-launch: unknown flag --nprocs: did you mean --nproc?\n");
}

TEST_F(TerminationLog, NamesTheRootCauseWithItsLastLines) {
  Launched launched(shell(3,
                          "[ $RANK = 1 ] || exec sleep 1000; echo loss 0.5; "
                          "echo out of memory >&2; exit 3"),
                    environment());
  EXPECT_EQ(launched.wait(), 3);
  const auto message = nlohmann::json::parse(text());
  EXPECT_EQ(message["rank"], 1);
  EXPECT_EQ(message["exitCode"], 3);
  EXPECT_EQ(message["signal"], 0);
  EXPECT_EQ(message["reason"], "rank 1 exited with code 3");
  EXPECT_GT(message["time"], 1700000000000);
  EXPECT_THAT(message["lastLines"], testing::UnorderedElementsAre("loss 0.5", "out of memory"));
  EXPECT_EQ(message.size(), 6);
}

TEST_F(TerminationLog, NamesTheSignalOfACrash) {
  Launched launched(shell(1, "kill -ABRT $$"), environment());
  EXPECT_EQ(launched.wait(), 134);
  EXPECT_EQ(nlohmann::json::parse(text())["signal"], 6);
}

TEST_F(TerminationLog, StaysEmptyWithoutAFailure) {
  for (const char* script : {"exit 0", "exit 80"}) {
    Launched launched(shell(2, script), environment());
    launched.wait();
    EXPECT_EQ(text(), "") << script;
  }
}

}  // namespace
}  // namespace lockstep::test
