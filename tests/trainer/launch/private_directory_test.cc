// Directories of the living stay, those of the dead go, and nothing else is touched.
#include "trainer/launch/private_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <optional>

#include "tests/support/temporary_directory.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using testing::TemporaryDirectory;
using ::testing::UnorderedElementsAre;

class PrivateDirectoryTest : public ::testing::Test {
 protected:
  PrivateDirectoryTest() { setenv("TMPDIR", parent_.path().c_str(), 1); }
  ~PrivateDirectoryTest() override { unsetenv("TMPDIR"); }

  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(parent_.path())) {
      found.push_back(entry.path().filename());
    }
    return found;
  }

  void make_fifo(const fs::path& path) { ASSERT_EQ(mkfifo(path.c_str(), 0600), 0); }

  // What a launcher leaves that is killed.
  fs::path left_behind() {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    const pid_t pid = fork();
    if (pid == 0) {
      const PrivateDirectory directory;
      make_fifo(directory.path() / "rank-0");
      const std::string name = directory.path();
      if (write(ends[1], name.data(), name.size()) > 0) pause();
      _exit(1);
    }
    close(ends[1]);
    char name[256] = "";
    EXPECT_GT(read(ends[0], name, sizeof name - 1), 0);
    close(ends[0]);
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
    return name;
  }

  TemporaryDirectory parent_;
  TemporaryDirectory elsewhere_;
};

TEST_F(PrivateDirectoryTest, IsForItsUserAloneAndGoesWithWhatItHolds) {
  {
    const PrivateDirectory directory;
    EXPECT_EQ(fs::status(directory.path()).permissions(), fs::perms::owner_all);
    make_fifo(directory.path() / "rank-0");
  }
  EXPECT_TRUE(names().empty());
}

TEST_F(PrivateDirectoryTest, OfTheLivingStays) {
  const PrivateDirectory first;
  const PrivateDirectory second;
  EXPECT_EQ(names().size(), 2U);
}

TEST_F(PrivateDirectoryTest, OfTheDeadGoesAtTheNextStart) {
  const PrivateDirectory living;
  const fs::path dead = left_behind();
  EXPECT_TRUE(fs::exists(dead / "rank-0"));
  const PrivateDirectory next;
  EXPECT_THAT(names(), UnorderedElementsAre(living.path().filename(), next.path().filename()));
}

TEST_F(PrivateDirectoryTest, LeavesAloneWhatIsNotALaunchers) {
  make_fifo(elsewhere_ / "rank-0");
  fs::create_directory_symlink(elsewhere_.path(), parent_ / "lockstep-status-linked");
  fs::create_directory(parent_ / "lockstep-others-abcdef");
  fs::create_directory(parent_ / "lockstep-status-longer-name");
  const fs::path kept = left_behind();
  testing::set_content(kept / "rank-1", "no FIFO");
  make_fifo(kept / "other");
  const PrivateDirectory next;
  EXPECT_THAT(names(), UnorderedElementsAre("lockstep-status-linked", "lockstep-others-abcdef",
                                            "lockstep-status-longer-name", kept.filename(),
                                            next.path().filename()));
  EXPECT_TRUE(fs::exists(elsewhere_ / "rank-0"));
  EXPECT_TRUE(fs::exists(kept / "rank-1"));
  EXPECT_TRUE(fs::exists(kept / "other"));
}

// Each sees the others' new ones before they are locked.
TEST_F(PrivateDirectoryTest, IsNeverTakenFromTheLivingWhoStartTogether) {
  std::vector<pid_t> crowd;
  for (int i = 0; i < 8; ++i) {
    crowd.push_back(fork());
    if (crowd.back() != 0) continue;
    for (int round = 0; round < 300; ++round) {
      const PrivateDirectory directory;
      if (mkfifo((directory.path() / "rank-0").c_str(), 0600) != 0) _exit(1);
      if (directory.path().parent_path() != parent_.path()) _exit(2);
      sched_yield();
      if (!fs::exists(directory.path() / "rank-0")) _exit(3);
    }
    _exit(0);
  }
  for (const pid_t pid : crowd) {
    int status = -1;
    waitpid(pid, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_TRUE(names().empty());
}

}  // namespace
}  // namespace lockstep
