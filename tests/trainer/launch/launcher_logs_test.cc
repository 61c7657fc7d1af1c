// What ranks write, kept in files of their own by the real program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <filesystem>
#include <sstream>

#include "tests/support/temporary_directory.h"
#include "tests/trainer/launch/chatter_lines.h"
#include "tests/trainer/launch/launched.h"

namespace lockstep::test {
namespace {

using testing::content_of;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::set_content;
using ::testing::UnorderedElementsAre;
namespace fs = std::filesystem;

// Nothing that this process and its children make grows beyond `bytes`.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit now = {bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &now);
  }
  ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_;
};

class LauncherLogs : public ::testing::Test {
 protected:
  std::vector<std::string> flags() const { return {"--log-dir", logs_.string()}; }
  std::string log(const std::string& name) const { return content_of(logs_ / name); }
  std::vector<std::string> lines(const std::string& name) const {
    std::istringstream text(log(name));
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
  }

  testing::TemporaryDirectory directory_;
  fs::path logs_ = directory_ / "a" / ".." / "logs";
};

TEST_F(LauncherLogs, KeepTheLastTenAttempts) {
  for (const char* name :
       {"attempt-1", "attempt-12", "attempt-13", "attempt-99", "attempt-1x", "attempt-", "notes"}) {
    fs::create_directories(directory_ / "logs" / name);
  }
  set_content(directory_ / "logs" / "attempt-1" / "rank-0.log", "old");
  fs::create_directory_symlink("attempt-13", directory_ / "logs" / "attempt-2");
  fs::create_directory(directory_ / "a");
  Launched launched(shell(1, "echo new", flags()), {{"LOCKSTEP_ATTEMPT", "22"}});
  EXPECT_EQ(launched.wait(), 0);
  std::vector<std::string> left;
  for (const auto& entry : fs::directory_iterator(directory_ / "logs")) {
    left.push_back(entry.path().filename());
  }
  EXPECT_THAT(left, UnorderedElementsAre("attempt-2", "attempt-13", "attempt-22", "attempt-99",
                                         "attempt-1x", "attempt-", "notes"));
}

TEST_F(LauncherLogs, HaveBothStreamsOfEachRankAsTheyAre) {
  fs::create_directory(directory_ / "a");
  Launched launched(shell(2, "echo out $RANK; echo err >&2; printf end", flags()),
                    {{"LOCKSTEP_RANK_OFFSET", "3"},
                     {"WORLD_SIZE", "5"},
                     {"NNODES", "2"},
                     {"MASTER_ADDR", "a"},
                     {"LOCKSTEP_ATTEMPT", "7"}});
  EXPECT_EQ(launched.wait(), 0);
  EXPECT_THAT(lines("attempt-7/rank-3.log"), UnorderedElementsAre("out 3", "err", "end"));
  EXPECT_THAT(lines("attempt-7/rank-4.log"), UnorderedElementsAre("out 4", "err", "end"));
  EXPECT_EQ(fs::status(logs_ / "attempt-7").permissions(), static_cast<fs::perms>(0755));
}

TEST_F(LauncherLogs, GoBesideTheCheckpointsUnlessTurnedOff) {
  const std::map<std::string, std::string> environment = {
      {"CHECKPOINT_DIR", (directory_ / "checkpoints").string()}};
  Launched off(shell(1, "echo one", {"--log-max-size", "0"}), environment);
  EXPECT_EQ(off.wait(), 0);
  EXPECT_FALSE(fs::exists(directory_ / "checkpoints"));
  Launched launched(shell(1, "echo one"), environment);
  EXPECT_EQ(launched.wait(), 0);
  EXPECT_EQ(content_of(directory_ / "checkpoints" / "logs" / "attempt-1" / "rank-0.log"), "one\n");
}

TEST_F(LauncherLogs, AreContinuedByTheSameAttemptAndApartFromAnother) {
  fs::create_directory(directory_ / "a");
  for (int run = 0; run < 2; ++run) {
    auto arguments = flags();
    arguments.push_back("--max-restarts=1");
    Launched launched(shell(1, "echo $TORCHELASTIC_RESTART_COUNT; exit 3", arguments));
    EXPECT_EQ(launched.wait(), 3);
  }
  EXPECT_EQ(log("attempt-1/rank-0.log"), "0\n0\n");
  EXPECT_EQ(log("attempt-2/rank-0.log"), "1\n1\n");
}

TEST_F(LauncherLogs, KeepEveryLineOf100Megabytes) {
  fs::create_directory(directory_ / "a");
  constexpr int kRanks = 4;
  auto arguments = flags();
  arguments.insert(arguments.end(), {"--nproc", std::to_string(kRanks), "--", CHATTER, "25"});
  Launched launched(arguments);
  ASSERT_EQ(launched.wait(), 0);
  expect_whole_chatter(launched.output(), kRanks);
  for (int rank = 0; rank < kRanks; ++rank) {
    const std::string lines = log("attempt-1/rank-" + std::to_string(rank) + ".log");
    EXPECT_GT(lines.size(), 25U << 20);
    EXPECT_THAT(lines, Not(HasSubstr("missing here")));
  }
}

TEST_F(LauncherLogs, StayWithinTheirSize) {
  fs::create_directory(directory_ / "a");
  auto arguments = flags();
  arguments.insert(arguments.end(), {"--log-max-size=1MiB", "--nproc=1", "--", CHATTER, "5"});
  Launched launched(arguments);
  EXPECT_EQ(launched.wait(), 0);
  EXPECT_LE(fs::file_size(logs_ / "attempt-1/rank-0.log"), 1 << 20);
  EXPECT_LE(fs::file_size(logs_ / "attempt-1/rank-0.log.1"), 1 << 20);
}

TEST_F(LauncherLogs, EndNoTrainingWhenTheyCannotBeMade) {
  set_content(directory_ / "a", "no folder");
  Launched launched(shell(2, "echo line; exit 0", flags()));
  EXPECT_EQ(launched.wait(), 0);
  launched.wait_for("line\n", 2);
  EXPECT_THAT(launched.output(), HasSubstr("[launch] "));
  EXPECT_EQ(launched.output().find("Not a directory"), launched.output().rfind("Not a directory"));
  EXPECT_THAT(launched.output(), HasSubstr("the console goes on, the log files do not\n"));
}

TEST_F(LauncherLogs, EndNoTrainingWhenTheDiskIsFull) {
  fs::create_directory(directory_ / "a");
  const FileSizeLimit limit(1000);
  Launched launched(shell(2, "head -c 3000 /dev/zero | tr '\\0' x; echo; echo end", flags()));
  EXPECT_EQ(launched.wait(), 0);
  launched.wait_for("] end\n", 2);
  EXPECT_EQ(launched.output().find("cannot write"), launched.output().rfind("cannot write"));
  EXPECT_THAT(launched.output(), HasSubstr("File too large; the console goes on"));
}

TEST_F(LauncherLogs, EndNoTrainingWhenTheirFolderVanishes) {
  fs::create_directory(directory_ / "a");
  auto arguments = flags();
  arguments.push_back("--log-max-size=10");
  Launched launched(shell(1,
                          "echo ready; until [ -e " + (directory_ / "go").string() +
                              " ]; do sleep 0.01; done; echo and a long line; echo end",
                          arguments));
  wait_until("the log file", [&] { return fs::exists(logs_ / "attempt-1/rank-0.log"); });
  launched.wait_for("ready");
  fs::remove_all(logs_ / "attempt-1");
  set_content(directory_ / "go", "");
  EXPECT_EQ(launched.wait(), 0);
  EXPECT_THAT(launched.output(), HasSubstr("[rank 0] end\n"));
  EXPECT_THAT(launched.output(), HasSubstr("No such file or directory; the console goes on"));
}

TEST_F(LauncherLogs, AreNamedWhereTheRootCauseIs) {
  fs::create_directory(directory_ / "a");
  Launched launched(shell(2, "[ $RANK = 1 ] && exit 3; exec sleep 1000", flags()));
  EXPECT_EQ(launched.wait(), 3);
  EXPECT_THAT(launched.output(),
              HasSubstr("[launch] failed: rank 1 exited with code 3; what it wrote: " +
                        (logs_ / "attempt-1/rank-1.log").string() + "\n"));
}

}  // namespace
}  // namespace lockstep::test
