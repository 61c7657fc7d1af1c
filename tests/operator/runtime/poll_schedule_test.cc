// Turns and wishes, second by second.
#include "operator/runtime/poll_schedule.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

using namespace std::chrono_literals;

constexpr PollSchedule::Instant kStart{1000h};
const ObjectKey kJob{"ml", "fashion"};

// The first tenth of a second from `from` on at which the job is due.
std::chrono::milliseconds due_in(PollSchedule& schedule, PollSchedule::Instant from) {
  for (auto wait = 0ms; wait < 2min; wait += 100ms) {
    if (schedule.is_due(kJob, from + wait)) return wait;
  }
  return 1h;
}

TEST(PollSchedule, AsksANewJobWithinTheInterval) {
  for (int i = 0; i < 50; ++i) {
    PollSchedule schedule(5s);
    const ObjectKey job{"ml", std::to_string(i)};
    schedule.is_due(job, kStart);
    EXPECT_TRUE(schedule.is_due(job, kStart + 5s));
  }
}

TEST(PollSchedule, SpreadsNewJobsOverTheInterval) {
  PollSchedule schedule(5s);
  int early = 0;
  for (int i = 0; i < 1000; ++i) {
    schedule.is_due({"ml", std::to_string(i)}, kStart);
    early += schedule.is_due({"ml", std::to_string(i)}, kStart + 1s);
  }
  EXPECT_NEAR(early, 200, 60);
}

TEST(PollSchedule, AsksAtTheIntervalOrSooner) {
  PollSchedule schedule(5s);
  schedule.answered(kJob, kStart);
  EXPECT_EQ(due_in(schedule, kStart), 5s);
  schedule.answered(kJob, kStart, 1500ms);
  EXPECT_EQ(due_in(schedule, kStart), 1500ms);
  schedule.answered(kJob, kStart, 1h);
  EXPECT_EQ(due_in(schedule, kStart), 5s);
}

TEST(PollSchedule, AsksASilentJobEverLessDownToOnceAMinute) {
  PollSchedule schedule(5s);
  for (const auto pause : {10s, 20s, 40s, 60s, 60s}) {
    schedule.failed(kJob, kStart);
    EXPECT_EQ(due_in(schedule, kStart), pause);
  }
  for (int i = 0; i < 100; ++i) schedule.failed(kJob, kStart);
  EXPECT_EQ(due_in(schedule, kStart), 60s);
  schedule.answered(kJob, kStart);
  EXPECT_EQ(due_in(schedule, kStart), 5s);
}

TEST(PollSchedule, KeepsTheIntervalWhereThatIsMoreThanAMinute) {
  PollSchedule schedule(300s);
  schedule.failed(kJob, kStart);
  EXPECT_FALSE(schedule.is_due(kJob, kStart + 299s));
}

TEST(PollSchedule, ForgetsJobsThatNoLongerRun) {
  PollSchedule schedule(5s);
  schedule.failed(kJob, kStart);
  schedule.keep([](const ObjectKey&) { return false; });
  schedule.is_due(kJob, kStart);
  EXPECT_TRUE(schedule.is_due(kJob, kStart + 5s)) << "a new job, without its failures";
}

TEST(WakeBudget, GrantsTenASecondAndOneAJobInTenSeconds) {
  WakeBudget budget(10, 10s);
  int granted = 0;
  for (int second = 0; second < 10; ++second) {
    for (int job = 0; job < 1000; ++job) {
      granted += budget.take({"ml", std::to_string(job)}, kStart + second * 1s);
    }
  }
  EXPECT_EQ(granted, 100);
  EXPECT_FALSE(budget.take({"ml", "0"}, kStart + 99s)) << "it had its turn";
  EXPECT_TRUE(budget.take({"ml", "0"}, kStart + 100s));

  WakeBudget alone(10, 10s);
  EXPECT_TRUE(alone.take(kJob, kStart));
  EXPECT_FALSE(alone.take(kJob, kStart + 9900ms));
  EXPECT_TRUE(alone.take(kJob, kStart + 10s));
}

TEST(WakeBudget, LetsEveryJobHaveItsTurn) {
  WakeBudget budget(10, 10s);
  std::map<int, int> turns;
  for (int tenth = 0; tenth < 400; ++tenth) {
    for (int job = 0; job < 150; ++job) {
      turns[job] += budget.take({"ml", std::to_string(job)}, kStart + tenth * 100ms);
    }
  }
  EXPECT_EQ(turns.size(), 150U);
  for (const auto& [job, count] : turns) EXPECT_GE(count, 1) << job;
}

}  // namespace
}  // namespace lockstep
