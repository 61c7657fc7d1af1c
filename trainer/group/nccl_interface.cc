// From an address to the interface that has it; see nccl_interface.h.
#include "trainer/group/nccl_interface.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "trainer/group/place.h"

namespace lockstep {
namespace {

constexpr char kVariable[] = "NCCL_SOCKET_IFNAME";

bool is_loopback(const std::string& host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

bool is_named_in(const std::string& file) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(std::string(kVariable) + "=")) return true;
  }
  return false;
}

}  // namespace

std::optional<std::string> nccl_interface(const std::string& master, const std::string& own_address,
                                          const std::vector<InterfaceAddress>& interfaces) {
  if (is_loopback(own_address) && !is_loopback(master)) return std::nullopt;
  const auto found = std::ranges::find(interfaces, own_address, &InterfaceAddress::address);
  return found == interfaces.end() ? std::nullopt : std::optional("=" + found->interface);
}

bool is_nccl_interface_chosen() {
  if (variable(kVariable)) return true;
  const std::string own =
      variable("NCCL_CONF_FILE").value_or(variable("HOME").value_or("") + "/.nccl.conf");
  return is_named_in(own) || is_named_in("/etc/nccl.conf");
}

void choose_nccl_interface(const std::string& master, const std::string& own_address) {
  if (is_nccl_interface_chosen()) return;
  const auto value = nccl_interface(master, own_address, interface_addresses());
  if (value) setenv(kVariable, value->c_str(), /*overwrite=*/0);
}

}  // namespace lockstep
