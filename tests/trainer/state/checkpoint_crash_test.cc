// The writer is cut off, or its storage fails, at every single change it makes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <functional>
#include <iostream>
#include <iterator>

#include "tests/support/temporary_directory.h"
#include "tests/trainer/state/small_checkpoint.h"
#include "tests/trainer/state/storage_faults.h"
#include "trainer/errors.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using testing::newest_step;
using testing::publish;
using testing::StorageFaults;
using testing::TemporaryDirectory;

constexpr char kMemory[] = "/dev/shm";  // hundreds of runs, and the power losses are ours

// Two whole checkpoints of a first attempt.
void prepare(const fs::path& directory) {
  CheckpointWriter writer(directory, {"job", 1}, 2);
  publish(writer, 10);
  publish(writer, 20);
}

void second_attempt(const fs::path& directory) {
  CheckpointWriter writer(directory, {"job", 2}, 2);
  writer.continue_from(20);
  publish(writer, 30);
  publish(writer, 40);
}

// Runs `work` in a child that dies at its n-th change; false when it came to its end first.
bool dies_at(long n, const std::function<void()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    StorageFaults::die_at_change(n);
    work();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) || (WIFEXITED(status) && WEXITSTATUS(status) == 0));
  return WIFSIGNALED(status);
}

// Also those older than the newest: a checkpoint being deleted is out of sight first.
bool no_step_is_incomplete(const fs::path& directory) {
  for (const auto& entry : fs::directory_iterator(directory)) {
    const bool is_step = entry.path().filename().string().starts_with("step-");
    if (is_step && std::distance(fs::directory_iterator(entry), {}) != 4) return false;
  }
  return true;
}

void expect_a_third_attempt_goes_on(const fs::path& directory) {
  CheckpointWriter writer(directory, {"job", 3}, 2);
  writer.continue_from(newest_step(directory));
  publish(writer, 50);
  EXPECT_EQ(newest_step(directory), 50);
  for (const auto& entry : fs::directory_iterator(directory)) {
    EXPECT_FALSE(entry.path().filename().string().starts_with(".")) << entry.path();
  }
}

TEST(CheckpointCrash, LeavesAWholeCheckpointWhereverTheWriterDies) {
  long n = 1;
  std::int64_t reached = 20;
  for (bool died = true; died; ++n) {
    TemporaryDirectory directory(kMemory);
    prepare(directory.path());
    died = dies_at(n, [&] { second_attempt(directory.path()); });
    const FoundCheckpoints found = find_newest_checkpoint(directory.path());
    ASSERT_TRUE(found.newest) << "died at change " << n;
    EXPECT_TRUE(testing::holds_its_step(*found.newest)) << "died at change " << n;
    EXPECT_TRUE(found.damaged.empty()) << "died at change " << n << ": " << found.damaged[0].reason;
    EXPECT_TRUE(no_step_is_incomplete(directory.path())) << "died at change " << n;
    EXPECT_GE(found.newest->step, reached) << "died at change " << n;
    reached = found.newest->step;
    const std::string latest = testing::content_of(directory / "LATEST");
    EXPECT_TRUE(fs::is_directory(directory / latest.substr(0, latest.size() - 1))) << latest;
    expect_a_third_attempt_goes_on(directory.path());
  }
  EXPECT_EQ(reached, 40);
  EXPECT_GT(n, 60);
  std::cout << "the writer died at each of " << n - 2 << " changes\n";
}

// Of a line that is not continued nothing may come back as the newest.
TEST(CheckpointCrash, NeverReturnsToAnAbandonedLine) {
  long n = 1;
  for (bool died = true; died; ++n) {
    TemporaryDirectory directory(kMemory);
    prepare(directory.path());
    died = dies_at(n, [&] {
      CheckpointWriter writer(directory.path(), {"job", 2}, 2);
      writer.continue_from(10);  // as if step 20 had been damaged
      publish(writer, 15);
    });
    const std::int64_t newest = newest_step(directory.path());
    EXPECT_TRUE(newest == 20 || newest == 10 || newest == 15) << newest;
    EXPECT_EQ(newest == 15, fs::exists(directory / "step-15"));
  }
}

// BEST names a whole checkpoint or is not there, and once judged the best is never lost.
TEST(CheckpointCrash, NeverLosesTheBestWhereverTheWriterDies) {
  const Retention retention{.newest = 1, .every = 0, .best = "accuracy"};
  long n = 1;
  std::int64_t best = 10;
  for (bool died = true; died; ++n) {
    TemporaryDirectory directory(kMemory);
    {
      CheckpointWriter writer(directory.path(), {"job", 1}, retention);
      publish(writer, 10);
      writer.judge(10, 0.5);
      publish(writer, 20);
    }
    died = dies_at(n, [&] {
      CheckpointWriter writer(directory.path(), {"job", 2}, retention);
      writer.continue_from(20);
      publish(writer, 30);
      writer.judge(30, 0.25);
      publish(writer, 40);
      writer.judge(40, 0.75);
    });
    const auto found = find_best_checkpoint(directory.path());
    ASSERT_TRUE(found) << "died at change " << n;
    EXPECT_GE(found->step, best) << "died at change " << n;
    EXPECT_EQ(found->value, found->step == 10 ? 0.5 : 0.75);
    best = found->step;
    EXPECT_TRUE(testing::holds_its_step(read_checkpoint(directory.path(), best)));
    EXPECT_TRUE(no_step_is_incomplete(directory.path())) << "died at change " << n;
  }
  EXPECT_EQ(best, 40);
  EXPECT_GT(n, 50);
}

// Nor does BEST outlive what it names when training starts over.
TEST(CheckpointCrash, NeverNamesABestThatIsGone) {
  const Retention retention{.newest = 1, .every = 0, .best = "accuracy"};
  long n = 1;
  for (bool died = true; died; ++n) {
    TemporaryDirectory directory(kMemory);
    {
      CheckpointWriter writer(directory.path(), {"job", 1}, retention);
      publish(writer, 20);
      writer.judge(20, 0.5);
    }
    died = dies_at(n, [&] {
      CheckpointWriter writer(directory.path(), {"job", 2}, retention);
      publish(writer, 10);
    });
    EXPECT_EQ(fs::exists(directory / "BEST"), find_best_checkpoint(directory.path()).has_value())
        << "died at change " << n;
  }
}

TEST(CheckpointCrash, ReportsAFailingDiskAndHidesHalfWrites) {
  for (const int error : {ENOSPC, EIO}) {
    bool failed = true;
    for (long n = 1; failed; ++n) {
      TemporaryDirectory directory(kMemory);
      prepare(directory.path());
      CheckpointWriter writer(directory.path(), {"job", 2}, 2);
      writer.continue_from(20);
      StorageFaults::fail_at_change(n, error);
      bool reported = false;
      try {
        publish(writer, 30);
      } catch (const StorageError& fault) {
        reported = true;
        EXPECT_THAT(fault.what(), ::testing::HasSubstr(std::strerror(error)));
      }
      failed = StorageFaults::stop() >= n;
      const FoundCheckpoints found = find_newest_checkpoint(directory.path());
      ASSERT_TRUE(found.newest);
      EXPECT_TRUE(found.damaged.empty()) << n;
      EXPECT_TRUE(reported || found.newest->step == 30) << n;
      publish(writer, 30);  // room was made: the same writer goes on
      publish(writer, 40);
      EXPECT_EQ(newest_step(directory.path()), 40) << n;
    }
  }
}

}  // namespace
}  // namespace lockstep
