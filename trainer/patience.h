// How long ranks wait for each other in a step, from how long steps usually take. Pure: the caller
// brings the clock.
#pragma once

#include <chrono>
#include <optional>
#include <vector>

namespace lockstep {

class Patience {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Duration = std::chrono::steady_clock::duration;

  // In the first step, and in a later one; zero: 20 times the usual step, at least kLeast, and as
  // in the first step until it is known what is usual.
  static constexpr std::chrono::seconds kLeast{60};
  explicit Patience(std::chrono::seconds first, std::chrono::seconds later = {})
      : first_(first), later_(later) {}

  // Of the step that begins now.
  std::chrono::seconds of_step(Time now);

  // Of what is no step, like an evaluation or a save. The step after it is a first one again: other
  // ranks may still be at it.
  std::chrono::seconds of_pause();

 private:
  void note(Duration step);
  Duration usual() const;

  std::chrono::seconds first_, later_;
  std::vector<Duration> steps_;  // the last kRemembered
  std::size_t oldest_ = 0;       // of steps_
  std::optional<Time> began_;    // the step before, unless a pause came between
};

}  // namespace lockstep
