// The question that all ranks put to each other while they train: has any been asked to stop?
//
// An answer costs a message to every rank, which is dear beside a step of a millisecond. So ballots
// are held by time, not at each call: with each of them rank 0 says how many calls the next one is
// away, and every rank hears it together with the result.
#pragma once

#include <c10/util/intrusive_ptr.h>

#include <chrono>
#include <vector>

#include "trainer/torch.h"

namespace lockstep {

// How many calls to let pass from one ballot to the next, so that about kBallotInterval lies
// between them: from how many there were last time and how long they took. At most twice as many
// as last time, since a few quick calls promise nothing.
inline constexpr std::chrono::milliseconds kBallotInterval{20};
int calls_until_next_ballot(int calls, std::chrono::nanoseconds took);

// Threads: one. Errors as in Group.
class Ballot {
 public:
  Ballot(c10::intrusive_ptr<c10d::Backend> backend, bool leads)
      : backend_(std::move(backend)), leads_(leads) {}

  // (all) Whether any rank has said true at a ballot whose result came since the last call: the
  // same answer on every rank, once. What is said between two ballots counts at the next.
  bool any_asked(bool mine);

  // (all) Waits for a ballot that is under way.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  bool result();
  void hold();

  c10::intrusive_ptr<c10d::Backend> backend_;
  bool leads_;  // rank 0: the interval follows its clock
  bool mine_ = false;
  int calls_left_ = 0;  // until the next ballot
  int interval_ = 1;    // in calls, between the last two
  Clock::time_point held_at_{};
  std::vector<at::Tensor> paper_;  // int [2]: how many say yes, the next interval
  c10::intrusive_ptr<c10d::Work> under_way_;
};

}  // namespace lockstep
