// CPUs, memory, /dev/shm, open files and the clock, as facts in tables.
#include "trainer/doctor/limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trainer/contract.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

constexpr std::uint64_t kMiB = 1 << 20;
constexpr std::uint64_t kGiB = 1 << 30;

TEST(CheckThreads, ComparesThemWithTheCpusOfAllRanksTogether) {
  struct Case {
    double cpus;
    int processes, threads;
    Mark mark;
  };
  for (const Case& each :
       {Case{4, 1, 4, Mark::kOk}, Case{4, 2, 2, Mark::kOk}, Case{1.5, 1, 2, Mark::kOk},
        Case{0.5, 1, 1, Mark::kOk}, Case{2, 4, 1, Mark::kOk},  // fewer is not possible
        Case{4, 1, 64, Mark::kWarning}, Case{4, 2, 4, Mark::kWarning},
        Case{8, 1, 1, Mark::kWarning}, Case{8, 8, 1, Mark::kOk}}) {
    const Finding finding = check_threads(
        {.cpus = each.cpus, .processes = each.processes, .compute_threads = each.threads});
    EXPECT_EQ(finding.mark, each.mark) << finding.found;
  }
}

TEST(CheckThreads, NamesTheNumberToSet) {
  EXPECT_THAT(check_threads({.cpus = 4, .processes = 2, .compute_threads = 4}).advice,
              HasSubstr("OMP_NUM_THREADS=2"));
  EXPECT_THAT(check_threads({.cpus = 16, .compute_threads = 1}).advice,
              HasSubstr("OMP_NUM_THREADS=16"));
}

MemoryFacts small_training() {
  return {.limit = kGiB,
          .machine = 64 * kGiB,
          .program = 300 * kMiB,
          .model = 100 * kMiB,
          .optimizer = 50 * kMiB,
          .batches = 20 * kMiB,
          .snapshot = 50 * kMiB};
}

TEST(CheckMemory, AddsUpWhatEveryRankOfTheContainerNeeds) {
  MemoryFacts facts = small_training();
  EXPECT_EQ(check_memory(facts).mark, Mark::kOk);
  EXPECT_THAT(check_memory(facts).found, HasSubstr("520 MiB of 1.0 GiB that the container"));
  facts.processes = 3;  // 1460 MiB: rank 0 alone copies a checkpoint
  EXPECT_EQ(check_memory(facts).mark, Mark::kBad);
  facts.limit.reset();  // then all of the machine
  EXPECT_EQ(check_memory(facts).mark, Mark::kOk);
  facts.machine = 0;
  EXPECT_EQ(check_memory(facts).mark, Mark::kOk);
}

TEST(CheckMemory, WarnsWhereActivationsWillHaveNoRoom) {
  MemoryFacts facts = small_training();
  facts.limit = 600 * kMiB;
  EXPECT_EQ(check_memory(facts).mark, Mark::kWarning);
}

TEST(CheckMemory, CountsEachPart) {
  for (const auto part : {&MemoryFacts::program, &MemoryFacts::model, &MemoryFacts::optimizer,
                          &MemoryFacts::snapshot, &MemoryFacts::batches}) {
    MemoryFacts facts = small_training();
    facts.*part += kGiB;
    EXPECT_EQ(check_memory(facts).exit_code, contract::kExitUsage);
  }
}

TEST(CheckSharedMemory, WantsThirtyTwoMebibytesARankForNccl) {
  SharedMemoryFacts plain_pod{.size = 64 * kMiB, .free = 64 * kMiB, .processes = 4};
  EXPECT_EQ(check_shared_memory(plain_pod).mark, Mark::kOk);
  plain_pod.is_needed = true;
  const Finding finding = check_shared_memory(plain_pod);
  EXPECT_EQ(finding.mark, Mark::kBad);
  EXPECT_THAT(finding.found, HasSubstr("NCCL needs 128 MiB for 4 ranks"));
  EXPECT_THAT(finding.advice, HasSubstr("emptyDir"));
  plain_pod.size = plain_pod.free = kGiB;
  EXPECT_EQ(check_shared_memory(plain_pod).mark, Mark::kOk);
  plain_pod.free = 100 * kMiB;  // others use it
  EXPECT_EQ(check_shared_memory(plain_pod).mark, Mark::kBad);
}

TEST(CheckSharedMemory, NoticesThatThereIsNone) {
  SharedMemoryFacts facts = look_at_shared_memory("/no/such/mount");
  EXPECT_EQ(facts.size, std::nullopt);
  facts.is_needed = true;
  EXPECT_EQ(check_shared_memory(facts).mark, Mark::kBad);
}

TEST(LookAtSharedMemory, AsksTheFileSystem) {
  EXPECT_GT(look_at_shared_memory("/tmp").size.value_or(0), 0U);
}

TEST(CheckOpenFiles, CountsSocketsOfPeersAndFilesOfLoaders) {
  struct Case {
    std::uint64_t soft, hard;
    int world_size, loader_threads;
    Mark mark;
  };
  for (const Case& each :
       {Case{1024, 4096, 1, 8, Mark::kOk}, Case{1024, 1024, 64, 8, Mark::kOk},
        Case{64, 64, 1, 2, Mark::kBad}, Case{64, 4096, 1, 2, Mark::kOk},
        Case{1024, 1024, 256, 8, Mark::kBad}, Case{256, 256, 1, 200, Mark::kBad}}) {
    const Finding finding = check_open_files({.limit = {each.soft, each.hard},
                                              .world_size = each.world_size,
                                              .loader_threads = each.loader_threads});
    EXPECT_EQ(finding.mark, each.mark) << finding.found;
  }
}

// In a child: the limit of this test program stays as it is.
TEST(RaiseOpenFilesLimit, TakesTheSoftLimitToTheHardOne) {
  const pid_t child = fork();
  if (child == 0) {
    rlimit limit{.rlim_cur = 64, .rlim_max = 256};
    setrlimit(RLIMIT_NOFILE, &limit);
    raise_open_files_limit();
    const OpenFilesLimit raised = open_files_limit();
    _exit(raised.soft == 256 && raised.hard == 256 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

Time at(std::chrono::sys_seconds time) { return std::chrono::file_clock::from_sys(time); }

TEST(CheckClock, ComparesItWithThatOfTheStorage) {
  const Time now = at(std::chrono::sys_days{std::chrono::year{2026} / 3 / 1});
  EXPECT_EQ(check_clock(now, std::nullopt).mark, Mark::kOk);
  EXPECT_EQ(check_clock(now, now + 3s).mark, Mark::kOk);
  EXPECT_THAT(check_clock(now, now + 90s).found, HasSubstr("90 s behind the checkpoint storage"));
  EXPECT_THAT(check_clock(now, now - 90s).found, HasSubstr("90 s ahead of"));
  EXPECT_EQ(check_clock(now, now + 90s).mark, Mark::kWarning);
}

TEST(CheckClock, KnowsThatItWasNeverSet) {
  const Finding finding = check_clock(at(std::chrono::sys_seconds{12h}), std::nullopt);
  EXPECT_EQ(finding.mark, Mark::kWarning);
  EXPECT_THAT(finding.found, HasSubstr("1970-01-01 12:00:00 UTC"));
}

}  // namespace
}  // namespace lockstep
