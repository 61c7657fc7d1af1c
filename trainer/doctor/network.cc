// Name, interface and port of rank 0; see network.h.
#include "trainer/doctor/network.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <thread>

#include "trainer/contract.h"

namespace lockstep {
namespace {

using namespace std::chrono_literals;

constexpr auto kConnectTimeout = 2s;
constexpr auto kPause = 500ms;

std::vector<std::string> resolve_patiently(const std::string& host, std::chrono::seconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (true) {
    auto addresses = resolved_addresses(host);
    if (!addresses.empty() || std::chrono::steady_clock::now() >= deadline) return addresses;
    std::this_thread::sleep_for(kPause);
  }
}

// torchrun keeps the store itself.
bool listens(const Place& place) { return place.rank == 0 && !place.store_is_hosted; }

std::string text_of(const Place& place) {
  return fmt::format("{}:{}", place.master_address, place.master_port);
}

}  // namespace

NetworkFacts look_at_network(const Place& place, std::chrono::seconds patience) {
  NetworkFacts facts;
  facts.master_addresses = resolve_patiently(place.master_address, patience);
  facts.own_address = address_towards(place.master_address);
  facts.interfaces = interface_addresses();
  facts.gloo_interface = variable("GLOO_SOCKET_IFNAME");
  if (listens(place)) {
    facts.listen_error = failure_to_listen(place.master_port);
  } else if (!facts.master_addresses.empty()) {
    facts.connect_failure =
        failure_to_reach(place.master_address, place.master_port, kConnectTimeout);
  }
  return facts;
}

Finding check_master_name(const Place& place, const NetworkFacts& facts) {
  const std::string check = "MASTER_ADDR";
  const std::string& host = place.master_address;
  if (facts.master_addresses.empty()) {
    return bad(check, host + " does not resolve",
               "Set MASTER_ADDR to a name or address of rank 0's machine that this one knows, and "
               "look whether DNS answers here.",
               contract::kExitPeerLost);
  }
  const std::string found = fmt::format("{} is {}", host, fmt::join(facts.master_addresses, ", "));
  return ok(check, facts.master_addresses.front() == host ? host : found);
}

Finding check_interface(const Place& place, const NetworkFacts& facts) {
  const std::string check = "interface";
  const std::string lead = " towards " + place.master_address;
  if (facts.master_addresses.empty()) {
    return warning(check, "not known" + lead, "Mend MASTER_ADDR first.");
  }
  if (!facts.own_address) {
    return bad(check, "no route" + lead,
               "Give this machine a network that leads to rank 0, or MASTER_ADDR an address in one "
               "that it has.",
               contract::kExitPeerLost);
  }
  std::string name = facts.gloo_interface.value_or("");
  if (name.empty()) {
    const auto holder =
        std::ranges::find(facts.interfaces, *facts.own_address, &InterfaceAddress::address);
    if (holder == facts.interfaces.end()) return ok(check, *facts.own_address + lead);
    name = holder->interface;
  }
  std::vector<std::string> addresses;
  for (const InterfaceAddress& each : facts.interfaces) {
    if (each.interface == name) addresses.push_back(each.address);
  }
  if (addresses.empty()) {
    return bad(check, "GLOO_SOCKET_IFNAME is " + name + ", which this machine does not have up",
               "Unset it, so that the interface towards rank 0 is taken, or name one that is up.",
               contract::kExitUsage);
  }
  return ok(check, fmt::format("{} ({}){}", name, fmt::join(addresses, ", "), lead));
}

Finding check_master_port(const Place& place, const NetworkFacts& facts) {
  const std::string check = "MASTER_PORT";
  const std::string where = text_of(place);
  if (facts.listen_error == EACCES) {
    return bad(check, fmt::format("this user may not listen on {}", place.master_port),
               "Take a MASTER_PORT of 1024 or more.", contract::kExitUsage);
  }
  if (facts.listen_error != 0) {
    return bad(check,
               fmt::format("rank 0 cannot listen on {}: {}", place.master_port,
                           std::strerror(facts.listen_error)),
               "Take another MASTER_PORT, or end the program that uses this one (ss -ltnp names "
               "it).",
               contract::kExitPeerLost);
  }
  if (listens(place)) return ok(check, fmt::format("{} is free to listen on", place.master_port));
  if (facts.master_addresses.empty()) {
    return warning(check, where + " was not tried", "Mend MASTER_ADDR first.");
  }
  if (!facts.connect_failure) return ok(check, where + " answers");
  const std::string found = where + ": " + *facts.connect_failure;
  if (*facts.connect_failure == std::strerror(ECONNREFUSED)) {
    return warning(check, found,
                   fmt::format("This is as it should be before rank 0 trains: ranks wait {} s for "
                               "it.",
                               place.startup.count()));
  }
  return bad(check, found,
             "Let the network (firewall, NetworkPolicy, security group) carry this port from here "
             "to rank 0.",
             contract::kExitPeerLost);
}

std::vector<Finding> network_findings(const Place& place, std::chrono::seconds patience) {
  if (place.world_size == 1) return {ok("network", "one rank: none is needed")};
  const NetworkFacts facts = look_at_network(place, patience);
  return {check_master_name(place, facts), check_interface(place, facts),
          check_master_port(place, facts)};
}

}  // namespace lockstep
