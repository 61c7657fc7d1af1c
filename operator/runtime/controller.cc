// What becomes of a key after each outcome.
#include "operator/runtime/controller.h"

#include <exception>
#include <utility>

#include "operator/base/log.h"

namespace lockstep {
namespace {

// A defect that throws must cost one job its pass, not all jobs their operator.
Result<std::optional<Time>> guarded(const Reconcile& reconcile, const ObjectKey& key,
                                    const std::stop_token& stop) {
  try {
    return reconcile(key, stop);
  } catch (const std::exception& exception) {
    return failure(Kind::kInvalid, std::string("defect: ") + exception.what());
  }
}

}  // namespace

Controller::Controller(WorkQueue& queue, Reconcile reconcile, const Clock& clock, int workers,
                       OnDone on_done)
    : queue_(queue), reconcile_(std::move(reconcile)), clock_(clock), on_done_(std::move(on_done)) {
  for (int i = 0; i < workers; ++i) {
    workers_.emplace_back([this](const std::stop_token& stop) { work(stop); });
  }
}

void Controller::work(const std::stop_token& stop) {
  while (const std::optional<ObjectKey> key = queue_.take(stop)) {
    const auto start = clock_.steady_now();
    const Result<std::optional<Time>> outcome = guarded(reconcile_, *key, stop);
    if (on_done_) {
      on_done_(clock_.steady_now() - start, outcome ? "ok" : kind_name(outcome.error().kind));
    }
    if (outcome) {
      queue_.forget(*key);
      if (*outcome) queue_.add_after(*key, **outcome - clock_.now());
    } else {
      try_later(*key, outcome.error());
    }
    queue_.done(*key);
  }
}

void Controller::try_later(const ObjectKey& key, const Error& error) {
  if (error.kind == Kind::kCancelled) return;
  if (error.kind == Kind::kThrottled && error.retry_after_seconds > 0) {
    queue_.add_after(key, std::chrono::seconds(error.retry_after_seconds));
    return;
  }
  const std::chrono::milliseconds delay = queue_.retry(key);
  if (error.kind == Kind::kConflict) return;  // somebody wrote first: no news
  log::warning("cannot reconcile the job, trying again", {{"job", key.name},
                                                          {"namespace", key.namespace_},
                                                          {"error", error.message},
                                                          {"next_try_ms", delay.count()}});
}

}  // namespace lockstep
