// The Gloo back end: tensors on the CPU, TCP between hosts.
#include "trainer/group/backend.h"
#include "trainer/group/c10d_group.h"
#include "trainer/group/peer_lost.h"

namespace lockstep {

c10::intrusive_ptr<c10d::Backend> open_gloo(const Rendezvous& rendezvous, const std::string& name) {
  using c10d::ProcessGroupGloo;
  auto options = ProcessGroupGloo::Options::create(kPatience);
  const auto interface = variable("GLOO_SOCKET_IFNAME");
  options->devices = {
      interface ? ProcessGroupGloo::createDeviceForInterface(*interface)
                : ProcessGroupGloo::createDeviceForHostname(rendezvous.own_address())};
  const Place& place = rendezvous.place();
  try {
    return c10::make_intrusive<ProcessGroupGloo>(rendezvous.store(name), place.rank,
                                                 place.world_size, options);
  } catch (const c10::Error& error) {
    throw lost_while_connecting(error);
  }
}

std::unique_ptr<Group> make_gloo(std::unique_ptr<Rendezvous> rendezvous) {
  auto process_group = make_process_group(*rendezvous);
  process_group->setBackend(at::kCPU, c10d::ProcessGroup::BackendType::GLOO,
                            open_gloo(*rendezvous, "gloo"));
  process_group->setDefaultBackend(c10d::ProcessGroup::BackendType::GLOO);
  return std::make_unique<C10dGroup>(std::move(rendezvous), at::kCPU, std::move(process_group));
}

}  // namespace lockstep
