// Collectives over c10d, and the vote that travels beside them.
#include "trainer/group/c10d_group.h"

namespace lockstep {
namespace {

constexpr std::size_t kBroadcastChunk = 25 * 1024 * 1024;

}  // namespace

C10dGroup::C10dGroup(std::unique_ptr<Rendezvous> rendezvous, at::Device device,
                     c10::intrusive_ptr<c10d::ProcessGroup> process_group)
    : Group(rendezvous->place().rank, rendezvous->place().world_size, device),
      rendezvous_(std::move(rendezvous)),
      process_group_(std::move(process_group)),
      control_(open_gloo(*rendezvous_, "control")) {}

void C10dGroup::all_reduce(at::Tensor values) {
  std::vector<at::Tensor> tensors{std::move(values)};
  process_group_->allreduce(tensors)->wait();
}

void C10dGroup::broadcast(const std::vector<at::Tensor>& tensors) {
  const at::NoGradGuard no_grad;
  c10d::broadcast_coalesced(process_group_, tensors, kBroadcastChunk);
}

void C10dGroup::barrier() { control_->barrier()->wait(); }

bool C10dGroup::any_asked(bool mine) {
  const bool asked = last_vote();
  ballot_ = {at::full({1}, mine ? 1 : 0, at::kInt)};
  vote_ = control_->allreduce(ballot_);
  return asked;
}

bool C10dGroup::last_vote() {
  if (!vote_) return false;
  vote_->wait();
  vote_.reset();
  return ballot_.front().item<int>() > 0;
}

std::optional<std::string> C10dGroup::disagreement(const std::string& what,
                                                   const std::string& value) {
  return rendezvous_->disagreement(what, value);
}

void C10dGroup::leave() {
  last_vote();
  barrier();
  rendezvous_->say_goodbye();
}

c10::intrusive_ptr<c10d::ProcessGroup> make_process_group(const Rendezvous& rendezvous) {
  const Place& place = rendezvous.place();
  return c10::make_intrusive<c10d::ProcessGroup>(rendezvous.store("group"), place.rank,
                                                 place.world_size);
}

}  // namespace lockstep
