// Nodes without an operator: which of them is this machine, and what each one runs. Pure.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "trainer/launch/environment.h"

namespace lockstep {

struct Host {
  std::string name;              // or an address
  std::optional<int> processes;  // none: as --nproc says
};

// A machine as the network knows it; addresses as inet_ntop writes them.
struct MachineNames {
  std::string host_name;
  std::set<std::string> addresses;
};

// Reads "a,b:4,10.0.0.3,[fd00::1]:8,fd00::2". Throws std::invalid_argument with one sentence for an
// empty name, a name given twice or a count out of range.
std::vector<Host> parse_hosts(const std::string& list);

// The position of this machine. `addresses` belong to `hosts` one by one; a name that did not
// resolve has none and is this machine only if it is its host name. Throws std::invalid_argument
// when no host or more than one is this machine, or when two are the same other machine.
int find_node_rank(const std::vector<Host>& hosts,
                   const std::vector<std::set<std::string>>& addresses,
                   const MachineNames& machine);

// The node's environment with the variables that the operator would set on that node. Where no host
// has a number of processes, all run as many as this one; where some have one, `nproc` must be the
// number of the others.
Environment place_among(const std::vector<Host>& hosts, int node_rank, const std::string& nproc,
                        Environment node);

}  // namespace lockstep
