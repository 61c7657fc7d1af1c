// One key at a time, none lost.
#include "operator/runtime/work_queue.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>
#include <vector>

namespace lockstep {
namespace {

using std::chrono::milliseconds;

const ObjectKey kA{"ml", "a"};
const ObjectKey kB{"ml", "b"};

TEST(WorkQueue, HandsOutAKeyOnceHoweverOftenItWasAdded) {
  WorkQueue queue;
  queue.add(kA);
  queue.add(kA);
  queue.add(kB);
  EXPECT_EQ(queue.depth(), 2u);
  EXPECT_EQ(queue.take({}), kA);
  EXPECT_EQ(queue.take({}), kB);
  EXPECT_EQ(queue.depth(), 0u);
}

TEST(WorkQueue, HoldsAKeyBackWhileItIsWorkedOn) {
  WorkQueue queue;
  queue.add(kA);
  queue.take({});
  queue.add(kA);
  EXPECT_EQ(queue.depth(), 0u);
  queue.done(kA);
  EXPECT_EQ(queue.take({}), kA);
}

TEST(WorkQueue, WaitsForADelayedKey) {
  WorkQueue queue;
  const auto start = std::chrono::steady_clock::now();
  queue.add_after(kA, milliseconds(20));
  EXPECT_EQ(queue.depth(), 0u);
  EXPECT_EQ(queue.take({}), kA);
  EXPECT_GE(std::chrono::steady_clock::now() - start, milliseconds(20));
}

TEST(WorkQueue, KeepsTheSoonestOfSeveralDelays) {
  WorkQueue queue;
  queue.add_after(kA, std::chrono::hours(1));
  queue.add_after(kA, milliseconds(1));
  queue.add_after(kA, std::chrono::hours(2));
  EXPECT_EQ(queue.take({}), kA);
}

TEST(WorkQueue, WakesAWaiterForASoonerKey) {
  WorkQueue queue;
  queue.add_after(kA, std::chrono::hours(1));
  std::optional<ObjectKey> taken;
  {
    std::jthread waiter([&] { taken = queue.take({}); });
    queue.add_after(kB, milliseconds(1));
  }
  EXPECT_EQ(taken, kB);
}

TEST(WorkQueue, DoublesTheRetryDelayUntilForgotten) {
  WorkQueue queue;
  EXPECT_EQ(queue.retry(kA), milliseconds(5));
  EXPECT_EQ(queue.retry(kA), milliseconds(10));
  EXPECT_EQ(queue.retry(kB), milliseconds(5));
  for (int i = 0; i < 40; ++i) queue.retry(kA);
  EXPECT_EQ(queue.retry(kA), WorkQueue::kLongestRetry);
  queue.forget(kA);
  EXPECT_EQ(queue.retry(kA), milliseconds(5));
}

TEST(WorkQueue, EndsEveryWaiterOnStop) {
  WorkQueue queue;
  std::atomic<int> ended = 0;
  {
    std::vector<std::jthread> waiters;
    for (int i = 0; i < 4; ++i) {
      waiters.emplace_back([&](const std::stop_token& stop) {
        if (!queue.take(stop)) ++ended;
      });
    }
  }
  EXPECT_EQ(ended, 4);
}

// Eight workers, keys added at any moment: a key is never worked on twice at once, and the last
// change to each is always seen by a pass that began after it.
TEST(WorkQueue, NeverRunsOneKeyTwiceAtOnceAndMissesNoChange) {
  constexpr int kKeys = 5;
  constexpr int kChanges = 4000;
  WorkQueue queue;
  std::array<std::atomic<int>, kKeys> wanted{};
  std::array<std::atomic<int>, kKeys> seen{};
  std::array<std::atomic<bool>, kKeys> is_busy{};
  std::atomic<int> clashes = 0;
  std::atomic<int> lagging = kKeys;
  std::vector<std::jthread> workers;
  for (int i = 0; i < 8; ++i) {
    workers.emplace_back([&](const std::stop_token& stop) {
      while (const auto key = queue.take(stop)) {
        const int k = std::stoi(key->name);
        if (is_busy[k].exchange(true)) ++clashes;
        std::this_thread::yield();  // room for another worker to clash
        const int before = seen[k].exchange(wanted[k].load());
        if (before != kChanges && seen[k] == kChanges) {
          --lagging;
          lagging.notify_all();
        }
        is_busy[k] = false;
        queue.done(*key);
      }
    });
  }
  for (int change = 0; change < kChanges; ++change) {
    for (int k = 0; k < kKeys; ++k) {
      ++wanted[k];
      queue.add({"ml", std::to_string(k)});
    }
  }
  for (int left = lagging; left > 0; left = lagging) lagging.wait(left);
  EXPECT_EQ(clashes, 0);
}

}  // namespace
}  // namespace lockstep
