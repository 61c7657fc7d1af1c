// getifaddrs and getaddrinfo; see addresses.h.
#include "trainer/launch/addresses.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <nss.h>
#include <unistd.h>

#include <climits>
#include <memory>
#include <optional>

namespace lockstep {
namespace {

std::optional<std::string> text_of(const sockaddr* address) {
  char text[INET6_ADDRSTRLEN] = "";
  if (address && address->sa_family == AF_INET) {
    const auto* v4 = reinterpret_cast<const sockaddr_in*>(address);
    return inet_ntop(AF_INET, &v4->sin_addr, text, sizeof text);
  }
  if (address && address->sa_family == AF_INET6) {
    const auto* v6 = reinterpret_cast<const sockaddr_in6*>(address);
    return inet_ntop(AF_INET6, &v6->sin6_addr, text, sizeof text);
  }
  return std::nullopt;
}

}  // namespace

MachineNames this_machine() {
  MachineNames machine;
  char name[HOST_NAME_MAX + 1] = "";
  if (gethostname(name, sizeof name - 1) == 0) machine.host_name = name;
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return machine;
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owner(all, freeifaddrs);
  for (const ifaddrs* each = all; each; each = each->ifa_next) {
    if (const auto text = text_of(each->ifa_addr)) machine.addresses.insert(*text);
  }
  return machine;
}

std::set<std::string> addresses_of(const std::string& name) {
  // These two are part of libc; others, as /etc/nsswitch.conf may ask for, would be loaded from
  // shared libraries, which a static program cannot do safely.
  __nss_configure_lookup("hosts", "files dns");
  std::set<std::string> addresses;
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* all = nullptr;
  if (getaddrinfo(name.c_str(), nullptr, &hints, &all) != 0) return addresses;
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(all, freeaddrinfo);
  for (const addrinfo* each = all; each; each = each->ai_next) {
    if (const auto text = text_of(each->ai_addr)) addresses.insert(*text);
  }
  return addresses;
}

}  // namespace lockstep
