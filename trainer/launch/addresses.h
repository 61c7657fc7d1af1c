// The addresses of this machine and of names, as inet_ntop writes them.
#pragma once

#include <set>
#include <string>

#include "trainer/launch/hosts.h"

namespace lockstep {

// Those of all interfaces that are up.
MachineNames this_machine();

// By /etc/hosts and DNS; empty when the name is not known there.
std::set<std::string> addresses_of(const std::string& name);

}  // namespace lockstep
