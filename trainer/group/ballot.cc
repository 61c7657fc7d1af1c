// A sum over the ranks decides; its second number is the proposal of rank 0 alone.
#include "trainer/group/ballot.h"

#include <algorithm>

namespace lockstep {
namespace {

constexpr int kMostCalls = 1000;

}  // namespace

int calls_until_next_ballot(int calls, std::chrono::nanoseconds took) {
  const auto fit = calls * std::chrono::nanoseconds(kBallotInterval).count() /
                   std::max<std::int64_t>(took.count(), 1);
  return static_cast<int>(std::clamp<std::int64_t>(fit, 1, std::min(2 * calls, kMostCalls)));
}

bool Ballot::any_asked(bool mine) {
  mine_ |= mine;
  const bool asked = result();
  if (--calls_left_ <= 0) hold();
  return asked;
}

// A ballot's result is read one call later, when it has come by itself.
bool Ballot::result() {
  if (!under_way_) return false;
  finish();
  calls_left_ = interval_ = paper_.front()[1].item<int>();
  return paper_.front()[0].item<int>() > 0;
}

void Ballot::hold() {
  const Clock::time_point now = Clock::now();
  const bool is_first = held_at_ == Clock::time_point{};
  const int next = is_first ? 1 : calls_until_next_ballot(interval_, now - held_at_);
  held_at_ = now;
  paper_ = {at::tensor({mine_ ? 1 : 0, leads_ ? next : 0}, at::kInt)};
  mine_ = false;
  under_way_ = backend_->allreduce(paper_);
}

void Ballot::finish() {
  if (under_way_) under_way_->wait();
  under_way_.reset();
}

}  // namespace lockstep
