// Waiting ends for the condition, for the deadline and for a stop.
#include "operator/base/mutex.h"

#include <gtest/gtest.h>

#include <thread>

namespace lockstep {
namespace {

struct Flag {
  Mutex mutex;
  CondVar changed;
  bool is_set GUARDED_BY(mutex) = false;
};

TEST(CondVar, WakesWhenTheConditionHolds) {
  Flag flag;
  std::jthread setter([&] {
    MutexLock lock(flag.mutex);
    flag.is_set = true;
    flag.changed.notify_all();
  });
  MutexLock lock(flag.mutex);
  EXPECT_TRUE(
      flag.changed.wait(flag.mutex, {}, [&]() REQUIRES(flag.mutex) { return flag.is_set; }));
}

TEST(CondVar, EndsWaitingWhenStopIsRequested) {
  Flag flag;
  std::stop_source stop;
  std::jthread stopper([&] { stop.request_stop(); });
  MutexLock lock(flag.mutex);
  EXPECT_FALSE(flag.changed.wait(flag.mutex, stop.get_token(),
                                 [&]() REQUIRES(flag.mutex) { return flag.is_set; }));
}

TEST(CondVar, EndsWaitingAtTheDeadline) {
  Flag flag;
  MutexLock lock(flag.mutex);
  EXPECT_FALSE(flag.changed.wait_until(flag.mutex, {}, std::chrono::steady_clock::now(),
                                       [&]() REQUIRES(flag.mutex) { return flag.is_set; }));
}

}  // namespace
}  // namespace lockstep
