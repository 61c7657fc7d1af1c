// The questions a rendezvous asks the network, and those that are asked before one.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace lockstep {

// Tries once to open a TCP connection to `host`, over every address it resolves to, and closes it.
// Returns why that failed ("the name does not resolve", "connection refused"), nothing on success.
std::optional<std::string> failure_to_reach(const std::string& host, int port,
                                            std::chrono::milliseconds timeout);

// The numeric address of ours that packets to `host` leave from: the pod's own address in a pod,
// loopback when `host` is. Sends nothing. Nothing when `host` does not resolve or has no route.
std::optional<std::string> address_towards(const std::string& host);

// The numeric addresses of `host`, each once; empty when it does not resolve.
std::vector<std::string> resolved_addresses(const std::string& host);

// Listens on `port` of all addresses for a moment, as rank 0's store does. Returns why that failed,
// an errno value; 0 on success.
int failure_to_listen(int port);

// An address of an interface of this machine that is up.
struct InterfaceAddress {
  std::string interface;  // "eth0"
  std::string address;    // numeric, as address_towards() writes it
};

std::vector<InterfaceAddress> interface_addresses();

}  // namespace lockstep
