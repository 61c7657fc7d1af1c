// The two questions a rendezvous asks the network.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace lockstep {

// Tries once to open a TCP connection to `host`, over every address it resolves to, and closes it.
// Returns why that failed ("the name does not resolve", "connection refused"), nothing on success.
std::optional<std::string> failure_to_reach(const std::string& host, int port,
                                            std::chrono::milliseconds timeout);

// The numeric address of ours that packets to `host` leave from: the pod's own address in a pod,
// loopback when `host` is. Sends nothing. Nothing when `host` does not resolve or has no route.
std::optional<std::string> address_towards(const std::string& host);

}  // namespace lockstep
