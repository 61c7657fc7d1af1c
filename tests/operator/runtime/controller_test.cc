// What becomes of a key after each outcome.
#include "operator/runtime/controller.h"

#include <gtest/gtest.h>

#include <future>
#include <sstream>

#include "operator/base/log.h"

namespace lockstep {
namespace {

const SystemClock kClock;
const ObjectKey kJob{"ml", "fashion"};

// Runs one worker whose pass i gives outcomes[i]; returns once pass `passes` began.
std::vector<std::string> run(const std::vector<Result<std::optional<Time>>>& outcomes) {
  WorkQueue queue;
  std::promise<void> is_over;
  std::size_t passes = 0;
  std::vector<std::string> results;
  queue.add(kJob);
  {
    const Controller controller(
        queue,
        [&](const ObjectKey&, std::stop_token) -> Result<std::optional<Time>> {
          if (passes < outcomes.size()) return outcomes[passes++];
          if (passes++ == outcomes.size()) is_over.set_value();
          return std::nullopt;
        },
        kClock, 1,
        [&](std::chrono::duration<double>, std::string_view result) {
          results.emplace_back(result);
        });
    is_over.get_future().wait();
  }
  return results;
}

TEST(Controller, LooksAgainAtTheTimeThePassAskedFor) {
  const Time soon = kClock.now() + std::chrono::milliseconds(20);
  EXPECT_EQ(run({std::optional(soon)}), (std::vector<std::string>{"ok", "ok"}));
  EXPECT_GE(kClock.now(), soon);
}

TEST(Controller, LooksAgainAtOnceWhenTheTimeIsPast) {
  EXPECT_EQ(run({std::optional(Time{})}), (std::vector<std::string>{"ok", "ok"}));
}

TEST(Controller, RetriesAfterEachKindOfFailure) {
  for (const Kind kind :
       {Kind::kConflict, Kind::kUnavailable, Kind::kForbidden, Kind::kInvalid, Kind::kThrottled}) {
    const auto results = run({failure(kind, "no")});
    EXPECT_EQ(results, (std::vector<std::string>{std::string(kind_name(kind)), "ok"}));
  }
}

TEST(Controller, LogsAFailureOnceAndAConflictNever) {
  std::ostringstream log;
  log::set_stream(log);
  run({failure(Kind::kUnavailable, "no answer"), failure(Kind::kConflict, "stale")});
  log::set_stream(std::cerr);
  EXPECT_NE(log.str().find("no answer"), std::string::npos);
  EXPECT_EQ(log.str().find("stale"), std::string::npos);
}

TEST(Controller, SurvivesAPassThatThrows) {
  WorkQueue queue;
  std::promise<void> is_over;
  int passes = 0;
  queue.add(kJob);
  const Controller controller(
      queue,
      [&](const ObjectKey&, std::stop_token) -> Result<std::optional<Time>> {
        if (++passes == 1) throw std::runtime_error("defect");
        if (passes == 2) is_over.set_value();
        return std::nullopt;
      },
      kClock, 1);
  is_over.get_future().wait();
}

TEST(Controller, TellsTheRunningPassToStopAndWaitsForIt) {
  WorkQueue queue;
  std::promise<void> has_begun;
  bool has_ended = false;
  queue.add(kJob);
  {
    const Controller controller(
        queue,
        [&](const ObjectKey&, std::stop_token stop) -> Result<std::optional<Time>> {
          has_begun.set_value();
          while (!stop.stop_requested()) std::this_thread::yield();
          has_ended = true;
          return failure(Kind::kCancelled, "stopping");
        },
        kClock, 1);
    has_begun.get_future().wait();
  }
  EXPECT_TRUE(has_ended);
}

}  // namespace
}  // namespace lockstep
