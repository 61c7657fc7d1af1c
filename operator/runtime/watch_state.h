// List, then watch, as a state machine without I/O: what to ask next, and what each answer changes.
// The rules are those of client-go's reflector, so that the API server meets a client it knows.
#pragma once

#include <chrono>
#include <string>
#include <variant>

#include "operator/base/result.h"
#include "operator/kube/request.h"

namespace lockstep {

// How fast to come back after failures: 800 ms, doubled up to 30 s, each stretched by up to itself;
// from the start again after two quiet minutes.
struct Pacing {
  std::chrono::milliseconds first{800};
  std::chrono::milliseconds longest{30'000};
  std::chrono::milliseconds quiet{120'000};
};

struct WatchState {
  enum class Doing { kListing, kWatching };

  Doing doing = Doing::kListing;
  std::string version = "0";             // list at it, or watch after it
  std::string continue_token;            // kListing: of the page before
  bool is_paged = true;                  // kListing: false once a continue token had expired
  std::chrono::milliseconds pause{0};    // before the next request
  std::chrono::milliseconds backoff{0};  // the last one, unstretched
  std::chrono::steady_clock::time_point failed_at;
};

// What can happen. A page was read, with its list's version; the last one has no continue token.
struct PageRead {
  std::string version;
  std::string continue_token;
};
// The watch told of a change or of a bookmark.
struct Heard {
  std::string version;
};
// The server ended the watch in order.
struct WatchEnded {
  std::chrono::milliseconds lasted;
  int events = 0;
};
struct Failed {
  Error error;
};
using WatchInput = std::variant<PageRead, Heard, WatchEnded, Failed>;

// `random` in [0, 1) stretches the pause.
WatchState step(WatchState state, const WatchInput& input,
                std::chrono::steady_clock::time_point now, double random, const Pacing& pacing);

ListOptions next_list(const WatchState& state);
// `random` in [0, 1) picks a duration between 300 and 600 s, so that watches do not end together.
WatchOptions next_watch(const WatchState& state, double random);

}  // namespace lockstep
