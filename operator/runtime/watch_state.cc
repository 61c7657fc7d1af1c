// The transitions, one function for each thing that can happen.
#include "operator/runtime/watch_state.h"

#include <algorithm>
#include <utility>

namespace lockstep {
namespace {

using Doing = WatchState::Doing;
using std::chrono::milliseconds;

constexpr int kPageSize = 500;
constexpr milliseconds kVeryShort{1000};

struct Step {
  WatchState state;
  std::chrono::steady_clock::time_point now;
  double random;
  const Pacing& pacing;

  WatchState operator()(const PageRead& page) &&;
  WatchState operator()(const Heard& heard) &&;
  WatchState operator()(const WatchEnded& ended) &&;
  WatchState operator()(const Failed& failed) &&;

  void back_off(milliseconds at_least = milliseconds{0});
  void list_again(std::string version);
  void list_failed(const Error& error);
  void watch_failed(const Error& error);
};

void Step::back_off(milliseconds at_least) {
  const bool is_quiet = now - state.failed_at > pacing.quiet;
  state.backoff = state.backoff == milliseconds{0} || is_quiet
                      ? pacing.first
                      : std::min(state.backoff * 2, pacing.longest);
  state.failed_at = now;
  const auto stretch = milliseconds(static_cast<long>(random * double(state.backoff.count())));
  state.pause = std::max(state.backoff + stretch, at_least);
}

void Step::list_again(std::string version) {
  state.doing = Doing::kListing;
  state.version = std::move(version);
  state.continue_token.clear();
}

WatchState Step::operator()(const PageRead& page) && {
  state.continue_token = page.continue_token;
  if (!page.continue_token.empty()) return std::move(state);
  state.doing = Doing::kWatching;
  state.version = page.version;
  state.is_paged = true;
  return std::move(state);
}

WatchState Step::operator()(const Heard& heard) && {
  state.version = heard.version;
  return std::move(state);
}

WatchState Step::operator()(const WatchEnded& ended) && {
  if (ended.events == 0 && ended.lasted < kVeryShort) back_off();
  return std::move(state);
}

WatchState Step::operator()(const Failed& failed) && {
  state.doing == Doing::kListing ? list_failed(failed.error) : watch_failed(failed.error);
  return std::move(state);
}

void Step::list_failed(const Error& error) {
  const bool is_unknown_version =
      error.kind == Kind::kGone || error.reason == "ResourceVersionTooLarge";
  if (error.kind == Kind::kGone && !state.continue_token.empty()) {
    state.is_paged = false;  // the pages expired under us: take the list in one piece
    return list_again(state.version);
  }
  if (is_unknown_version && !state.version.empty()) return list_again("");
  list_again(state.version);
  back_off(std::chrono::seconds(error.retry_after_seconds));
}

void Step::watch_failed(const Error& error) {
  const bool is_internal = error.reason == "InternalError";
  switch (error.kind) {
    case Kind::kGone:
      return list_again(state.version);
    case Kind::kThrottled:
      return back_off(std::chrono::seconds(error.retry_after_seconds));
    case Kind::kUnavailable:
      if (is_internal) list_again(state.version);
      return back_off(std::chrono::seconds(error.retry_after_seconds));
    default:
      list_again(state.version);
      return back_off();
  }
}

}  // namespace

WatchState step(WatchState state, const WatchInput& input,
                std::chrono::steady_clock::time_point now, double random, const Pacing& pacing) {
  state.pause = milliseconds{0};
  return std::visit(
      [&](const auto& what) {
        return Step{std::move(state), now, random, pacing}(what);
      },
      input);
}

ListOptions next_list(const WatchState& state) {
  // A limit at a given version would bypass the server's cache; at "0" the cache ignores it.
  const bool is_any_or_newest = state.version == "0" || state.version.empty();
  ListOptions options;
  options.version = state.version;
  options.limit = state.is_paged && is_any_or_newest ? kPageSize : 0;
  options.continue_token = state.continue_token;
  return options;
}

WatchOptions next_watch(const WatchState& state, double random) {
  WatchOptions options;
  options.version = state.version;
  options.duration = std::chrono::seconds(300 + static_cast<int>(random * 301));
  return options;
}

}  // namespace lockstep
