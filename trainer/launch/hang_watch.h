// Notices that the ranks stand still, and gathers evidence before they are ended.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "trainer/launch/gang.h"
#include "trainer/launch/hang.h"
#include "trainer/launch/options.h"
#include "trainer/launch/status_service.h"

namespace lockstep {

// Silence for longer than is allowed -> the hang is told, the threads of the culprit are listed and
// all ranks are asked for their stacks -> two seconds later, if it is still silent, it has come
// true. The two seconds are for the answers, and for the launchers of other nodes: their ranks fell
// silent with ours, and what ours do when they end must not come before that is seen.
class HangWatch {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Say = std::function<void(const std::string& text)>;

  // Zero seconds: never looks.
  HangWatch(Seconds allowed, StatusService& status, const Gang& gang, Say say);

  // When to look next.
  Time deadline() const;

  // True when the ranks are to be ended.
  bool look(Time now);

  // From the first look that found it until a rank goes on.
  bool is_suspected() const { return hang_.has_value(); }

  // The hang as the end of its culprit.
  Exit verdict() const;

 private:
  void tell() const;
  bool is_confirmed();

  Seconds allowed_;
  StatusService& status_;
  const Gang& gang_;
  Say say_;
  std::optional<Hang> hang_;
  std::optional<Time> last_heard_;
  std::int64_t found_at_ms_ = 0;
  Time answers_until_;
  Time awake_since_;
};

}  // namespace lockstep
