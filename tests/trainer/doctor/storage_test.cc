// Directories that cannot be written, that are full, that another attempt owns.
#include "trainer/doctor/storage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <functional>

#include "tests/support/temporary_directory.h"
#include "trainer/contract.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

constexpr std::uint64_t kMiB = 1 << 20;

// What the probe finds in a child with a mount namespace of its own, in which `prepare` has mounted
// something at `directory`; "no namespaces" where the system has none for this user.
std::string found_behind_a_mount(const fs::path& directory, const std::function<bool()>& prepare) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    const int flags = geteuid() == 0 ? CLONE_NEWNS : CLONE_NEWNS | CLONE_NEWUSER;
    std::string found = "no namespaces";
    if (unshare(flags) == 0 && mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
        prepare()) {
      const Finding finding = probe_storage(directory).finding;
      found = std::to_string(finding.exit_code) + " " + finding.found;
    }
    _exit(write(ends[1], found.data(), found.size()) < 0);
  }
  close(ends[1]);
  std::string text(4096, '\0');
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(read(ends[0], text.data(), 4096), 0)));
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return text;
}

TEST(ProbeStorage, WritesSyncsRenamesReadsAndLeavesNothingBehind) {
  const testing::TemporaryDirectory directory;
  const StorageProbe probe = probe_storage(directory.path());
  EXPECT_EQ(probe.finding.mark, Mark::kOk) << probe.finding.found;
  EXPECT_TRUE(probe.time);
  EXPECT_TRUE(fs::is_empty(directory.path()));
}

TEST(ProbeStorage, DoesNotMakeADirectoryThatIsNotThereYet) {
  const testing::TemporaryDirectory directory;
  const StorageProbe probe = probe_storage(directory / "a/b");
  EXPECT_EQ(probe.finding.mark, Mark::kOk);
  EXPECT_THAT(probe.finding.found, HasSubstr("can be made"));
  EXPECT_TRUE(fs::is_empty(directory.path()));
}

TEST(ProbeStorage, LeavesWhatIsThere) {
  const testing::TemporaryDirectory directory;
  CheckpointWriter(directory.path(), {"job", 3}, 1).publish(7, {});
  probe_storage(directory.path());
  EXPECT_EQ(owner_of(directory.path()), (CheckpointOwner{"job", 3}));
  EXPECT_EQ(find_newest_checkpoint(directory.path()).newest->step, 7);
}

TEST(ProbeStorage, SaysThatAFileIsInTheWay) {
  const testing::TemporaryDirectory directory;
  testing::set_content(directory / "file", "x");
  const Finding finding = probe_storage(directory / "file").finding;
  EXPECT_EQ(finding.exit_code, contract::kExitStorage);
  EXPECT_THAT(finding.found, HasSubstr("file: File exists"));
}

TEST(ProbeStorage, SaysThatNothingMayBeWritten) {
  const testing::TemporaryDirectory directory;
  const std::string found = found_behind_a_mount(directory.path(), [&] {
    const char* path = directory.path().c_str();
    return mount(path, path, nullptr, MS_BIND, nullptr) == 0 &&
           mount("none", path, nullptr, MS_BIND | MS_REMOUNT | MS_RDONLY, nullptr) == 0;
  });
  EXPECT_THAT(found, HasSubstr("74 "));
  EXPECT_THAT(found, HasSubstr("Read-only file system"));
}

TEST(ProbeStorage, SaysThatTheDiskIsFull) {
  const testing::TemporaryDirectory directory;
  const std::string found = found_behind_a_mount(directory.path(), [&] {
    return mount("none", directory.path().c_str(), "tmpfs", 0, "size=4k") == 0;
  });
  EXPECT_THAT(found, HasSubstr("74 "));
  EXPECT_THAT(found, HasSubstr("No space left on device"));
}

TEST(CheckSpace, WantsRoomForTwoAndWarnsBelowWhatIsKept) {
  struct Case {
    std::uint64_t free_mib;
    int present;
    Mark mark;
  };
  for (const Case& each :
       {Case{199, 0, Mark::kBad}, Case{0, 3, Mark::kBad}, Case{200, 0, Mark::kWarning},
        Case{400, 0, Mark::kOk}, Case{200, 2, Mark::kOk}}) {
    const Finding finding = check_space({.free = each.free_mib * kMiB,
                                         .checkpoint = 100 * kMiB,
                                         .most = 4,
                                         .present = each.present});
    EXPECT_EQ(finding.mark, each.mark) << finding.found;
  }
}

TEST(FreeSpace, IsThatOfTheFolderAbove) {
  const testing::TemporaryDirectory directory;
  EXPECT_GT(free_space(directory / "not/there/yet").value_or(0), 0U);
}

TEST(CheckOwner, RefusesAnOlderAttemptAndNamesOtherJobs) {
  struct Case {
    std::optional<CheckpointOwner> owner;
    Mark mark;
  };
  Place place;
  place.job_uid = "a";
  place.attempt = 2;
  for (const Case& each :
       {Case{std::nullopt, Mark::kOk}, Case{CheckpointOwner{"a", 1}, Mark::kOk},
        Case{CheckpointOwner{"a", 2}, Mark::kOk}, Case{CheckpointOwner{"a", 3}, Mark::kBad},
        Case{CheckpointOwner{"b", 9}, Mark::kWarning}}) {
    EXPECT_EQ(check_owner(each.owner, place).mark, each.mark);
  }
}

}  // namespace
}  // namespace lockstep
