// Two looks at the silence; see hang_watch.h.
#include "trainer/launch/hang_watch.h"

#include <algorithm>
#include <utility>

#include "trainer/contract.h"
#include "trainer/launch/stacks.h"

namespace lockstep {
namespace {

constexpr std::chrono::seconds kAnswerTime{2};
constexpr std::chrono::seconds kOverslept{1};

}  // namespace

HangWatch::HangWatch(Seconds allowed, StatusService& status, const Gang& gang, Say say)
    : allowed_(allowed), status_(status), gang_(gang), say_(std::move(say)) {}

HangWatch::Time HangWatch::deadline() const {
  if (hang_) return answers_until_;
  const auto last = allowed_.count() > 0 ? status_.last_progress() : std::nullopt;
  if (!last) return Time::max();
  return std::max(*last, awake_since_) + std::chrono::duration_cast<Time::duration>(allowed_);
}

bool HangWatch::look(Time now) {
  // We did not run ourselves (a frozen container, a halted machine), so neither did the ranks.
  if (!hang_ && now - deadline() > kOverslept) {
    awake_since_ = now;
    return false;
  }
  NodeStatus node = status_.node_status(now);
  if (hang_) return is_confirmed();
  status_.find_stopped(node);
  hang_ = find_hang(node, allowed_.count());
  if (!hang_) return false;
  last_heard_ = status_.last_progress();
  found_at_ms_ = now_ms();
  answers_until_ = now + kAnswerTime;
  tell();
  return false;
}

bool HangWatch::is_confirmed() {
  if (status_.last_progress() == last_heard_) return true;
  say_("rank " + std::to_string(hang_->rank) + " hangs no longer: nothing is ended");
  hang_.reset();
  return false;
}

void HangWatch::tell() const {
  say_("rank " + std::to_string(hang_->rank) + " " + describe(*hang_));
  for (const auto& worker : gang_.workers()) {
    if (!worker->is_running()) continue;
    if (worker->rank() == hang_->rank) {
      for (const std::string& line : describe_threads(worker->pid())) say_(line);
    }
    ask_for_stacks(worker->pid());
  }
}

Exit HangWatch::verdict() const {
  return {hang_->rank, contract::kExitHang, 0, found_at_ms_, false, describe(*hang_), hang_};
}

}  // namespace lockstep
