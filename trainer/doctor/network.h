// Whether this rank will find the others. Facts in, findings out: pure, but for look_at_network().
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "trainer/doctor/finding.h"
#include "trainer/group/network.h"
#include "trainer/group/place.h"

namespace lockstep {

struct NetworkFacts {
  std::vector<std::string> master_addresses{};   // of place.master_address
  std::optional<std::string> own_address{};      // towards it
  std::vector<InterfaceAddress> interfaces{};    // of this machine
  std::optional<std::string> gloo_interface{};   // GLOO_SOCKET_IFNAME
  int listen_error = 0;                          // errno; of rank 0
  std::optional<std::string> connect_failure{};  // of the others
};

// Of a training of several ranks. Asks again until the name of rank 0 resolves or `patience` is
// over: a pod's name does some seconds after the pod is made.
NetworkFacts look_at_network(const Place& place, std::chrono::seconds patience);

Finding check_master_name(const Place& place, const NetworkFacts& facts);
Finding check_interface(const Place& place, const NetworkFacts& facts);
Finding check_master_port(const Place& place, const NetworkFacts& facts);

// All of them; one line without a network where there is one rank only.
std::vector<Finding> network_findings(const Place& place, std::chrono::seconds patience);

}  // namespace lockstep
