// Collectives over c10d, and a control group on the CPU beside them.
#include "trainer/group/c10d_group.h"

#include "trainer/group/roll_call.h"

namespace lockstep {
namespace {

constexpr std::size_t kBroadcastChunk = 25 * 1024 * 1024;

}  // namespace

C10dGroup::C10dGroup(std::unique_ptr<Rendezvous> rendezvous, at::Device device,
                     c10::intrusive_ptr<c10d::ProcessGroup> process_group)
    : Group(rendezvous->place().rank, rendezvous->place().world_size, device),
      rendezvous_(std::move(rendezvous)),
      process_group_(std::move(process_group)),
      control_(open_gloo(*rendezvous_, "control")),
      ballot_(control_, /*leads=*/rank() == 0) {}

void C10dGroup::all_reduce(at::Tensor values) {
  std::vector<at::Tensor> tensors{std::move(values)};
  process_group_->allreduce(tensors)->wait();
}

void C10dGroup::broadcast(const std::vector<at::Tensor>& tensors) {
  const at::NoGradGuard no_grad;
  c10d::broadcast_coalesced(process_group_, tensors, kBroadcastChunk);
}

void C10dGroup::barrier() { control_->barrier()->wait(); }

std::optional<std::string> C10dGroup::disagreement(const std::string& what,
                                                   const std::string& value) {
  return rendezvous_->disagreement(what, value);
}

void C10dGroup::set_patience(std::chrono::seconds patience) {
  if (patience == patience_) return;
  patience_ = patience;
  process_group_->setTimeout(patience);
  control_->setTimeout(patience);
}

std::string C10dGroup::who_is_late(const std::string& doing) {
  return call_the_roll(rendezvous_->store("roll call"), rendezvous_->place(), doing, patience_);
}

void C10dGroup::leave() {
  ballot_.finish();
  barrier();
  rendezvous_->say_goodbye();
}

c10::intrusive_ptr<c10d::ProcessGroup> make_process_group(const Rendezvous& rendezvous) {
  const Place& place = rendezvous.place();
  return c10::make_intrusive<c10d::ProcessGroup>(rendezvous.store("group"), place.rank,
                                                 place.world_size);
}

}  // namespace lockstep
