// Which network interface NCCL should use between machines. No torch.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "trainer/group/network.h"

namespace lockstep {

// The value for NCCL_SOCKET_IFNAME: "=" and the interface that holds `own_address`, the address
// towards rank 0 (the "=" keeps eth0 from meaning eth01 too). NCCL's own choice is the first
// interface that is no loopback and no docker, which need not lead to the others. Loopback only
// when `master` is: a machine may know its own name as 127.0.1.1, which leads nobody else here.
// Nothing when no interface has the address.
std::optional<std::string> nccl_interface(const std::string& master, const std::string& own_address,
                                          const std::vector<InterfaceAddress>& interfaces);

// Whether the user chose: the variable, or a line of it in one of NCCL's own files, which the
// variable would overrule.
bool is_nccl_interface_chosen();

// Sets NCCL_SOCKET_IFNAME so for this process, unless the user chose; nothing when it cannot be
// found. To be called before NCCL begins and while no other thread reads the environment.
void choose_nccl_interface(const std::string& master, const std::string& own_address);

}  // namespace lockstep
