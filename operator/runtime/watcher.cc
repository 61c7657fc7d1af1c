// The thin loop around the state machine.
#include "operator/runtime/watcher.h"

#include <utility>

#include "operator/base/log.h"

namespace lockstep {
namespace {

using Doing = WatchState::Doing;

// Until the pause is over or a stop is requested.
void wait(std::chrono::milliseconds pause, const std::stop_token& stop) {
  Mutex mutex;
  CondVar never;
  MutexLock lock(mutex);
  never.wait_until(mutex, stop, std::chrono::steady_clock::now() + pause, [] { return false; });
}

}  // namespace

Watcher::Watcher(Client& client, WatchTarget target, std::unique_ptr<Sink> sink, const Clock& clock,
                 OnRestart on_restart, Pacing pacing)
    : client_(client),
      target_(std::move(target)),
      sink_(std::move(sink)),
      clock_(clock),
      on_restart_(std::move(on_restart)),
      pacing_(pacing),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

void Watcher::run(const std::stop_token& stop) {
  WatchState state;
  while (!stop.stop_requested()) {
    const WatchInput input =
        state.doing == Doing::kListing ? list(state, stop) : watch(state, stop);
    if (stop.stop_requested()) return;
    state = step(std::move(state), input, clock_.steady_now(), random(), pacing_);
    if (const auto* failed = std::get_if<Failed>(&input)) report(failed->error, state);
    if (state.pause.count() > 0) wait(state.pause, stop);
  }
}

WatchInput Watcher::list(const WatchState& state, const std::stop_token& stop) {
  ListOptions options = next_list(state);
  options.namespace_ = target_.namespace_;
  options.label_selector = target_.label_selector;
  const Result<PageEnd> page = client_.list(
      target_.resource, options, [this](const auto& object) { return sink_->gather(object); },
      stop);
  if (!page) {
    sink_->drop();
    return Failed{page.error()};
  }
  if (page->continue_token.empty()) sink_->publish(page->version);
  return PageRead{page->version, page->continue_token};
}

WatchInput Watcher::watch(WatchState& state, const std::stop_token& stop) {
  WatchOptions options = next_watch(state, random());
  options.namespace_ = target_.namespace_;
  options.label_selector = target_.label_selector;
  const auto start = clock_.steady_now();
  int events = 0;
  const Result<void> ended = client_.watch(
      target_.resource, options,
      [&](const WatchEvent& event) -> Result<void> {
        TRY(take(event));
        ++events;
        if (event.type != WatchEvent::Type::kUnknown) {
          state = step(std::move(state), Heard{event.version}, {}, 0, pacing_);
        }
        return {};
      },
      stop);
  if (!ended) return Failed{ended.error()};
  const auto lasted = clock_.steady_now() - start;
  return WatchEnded{std::chrono::duration_cast<std::chrono::milliseconds>(lasted), events};
}

Result<void> Watcher::take(const WatchEvent& event) {
  switch (event.type) {
    case WatchEvent::Type::kAdded:
    case WatchEvent::Type::kModified:
      return sink_->put(event.object, event.version);
    case WatchEvent::Type::kDeleted:
      return sink_->erase(event.object, event.version);
    case WatchEvent::Type::kBookmark:
      sink_->advance(event.version);
      return {};
    case WatchEvent::Type::kUnknown:
      log::warning("ignored a watch event of unknown type",
                   {{"resource", target_.resource.plural}});
      return {};
  }
  return {};
}

void Watcher::report(const Error& error, const WatchState& next) const {
  if (on_restart_) {
    on_restart_(target_.resource.plural,
                error.reason.empty() ? kind_name(error.kind) : error.reason);
  }
  if (error.kind == Kind::kGone) {
    log::info("the version watched has expired, listing again",
              {{"resource", target_.resource.plural}});
    return;
  }
  log::warning("lost touch with the API server, trying again",
               {{"resource", target_.resource.plural},
                {"error", error.message},
                {"next_try_ms", next.pause.count()}});
}

}  // namespace lockstep
