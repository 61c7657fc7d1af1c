// The median of the last steps says what is usual: neither a slow step nor a quick one moves it.
#include "trainer/patience.h"

#include <algorithm>

namespace lockstep {
namespace {

constexpr std::size_t kEnough = 5, kRemembered = 31;
constexpr int kUsualSteps = 20;

}  // namespace

std::chrono::seconds Patience::of_step(Time now) {
  const bool is_first = !began_;
  if (began_) note(now - *began_);
  began_ = now;
  if (is_first) return first_;
  if (later_ > later_.zero()) return later_;
  if (steps_.size() < kEnough) return first_;
  return std::max(kLeast, std::chrono::ceil<std::chrono::seconds>(kUsualSteps * usual()));
}

std::chrono::seconds Patience::of_pause() {
  began_.reset();
  return first_;
}

void Patience::note(Duration step) {
  if (steps_.size() < kRemembered) {
    steps_.push_back(step);
    return;
  }
  steps_[oldest_] = step;
  oldest_ = (oldest_ + 1) % kRemembered;
}

Patience::Duration Patience::usual() const {
  std::vector<Duration> sorted = steps_;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  return *middle;
}

}  // namespace lockstep
