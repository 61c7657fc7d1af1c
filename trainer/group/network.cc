// Sockets behind the questions of network.h.
#include "trainer/group/network.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

namespace lockstep {
namespace {

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

Addresses resolve(const std::string& host, int port, int type) {
  addrinfo wanted{};
  wanted.ai_family = AF_UNSPEC;
  wanted.ai_socktype = type;
  addrinfo* found = nullptr;
  const bool ok = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &found) == 0;
  return {ok ? found : nullptr, &freeaddrinfo};
}

std::optional<std::string> text_of(const sockaddr* address, socklen_t length) {
  char text[NI_MAXHOST];
  const bool ok = getnameinfo(address, length, text, sizeof text, nullptr, 0, NI_NUMERICHOST) == 0;
  return ok ? std::optional<std::string>(text) : std::nullopt;
}

class Socket {
 public:
  Socket(const addrinfo& address, int flags)
      : fd_(socket(address.ai_family, address.ai_socktype | SOCK_CLOEXEC | flags, 0)) {}
  ~Socket() {
    if (fd_ >= 0) close(fd_);
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_;
};

// 0 or the errno of the attempt.
int try_connect(const addrinfo& address, std::chrono::milliseconds timeout) {
  const Socket socket(address, SOCK_NONBLOCK);
  if (socket.fd() < 0) return errno;
  if (connect(socket.fd(), address.ai_addr, address.ai_addrlen) == 0) return 0;
  if (errno != EINPROGRESS) return errno;
  pollfd waiting{socket.fd(), POLLOUT, 0};
  if (poll(&waiting, 1, static_cast<int>(timeout.count())) <= 0) return ETIMEDOUT;
  int error = 0;
  socklen_t length = sizeof error;
  getsockopt(socket.fd(), SOL_SOCKET, SO_ERROR, &error, &length);
  return error;
}

}  // namespace

std::optional<std::string> failure_to_reach(const std::string& host, int port,
                                            std::chrono::milliseconds timeout) {
  const Addresses addresses = resolve(host, port, SOCK_STREAM);
  if (!addresses) return "the name does not resolve";
  int error = 0;
  for (const addrinfo* each = addresses.get(); each; each = each->ai_next) {
    error = try_connect(*each, timeout);
    if (error == 0) return std::nullopt;
  }
  return std::strerror(error);
}

std::optional<std::string> address_towards(const std::string& host) {
  constexpr int kAnyPort = 9;
  const Addresses addresses = resolve(host, kAnyPort, SOCK_DGRAM);
  for (const addrinfo* each = addresses.get(); each; each = each->ai_next) {
    const Socket socket(*each, 0);
    sockaddr_storage own{};
    socklen_t length = sizeof own;
    auto* address = reinterpret_cast<sockaddr*>(&own);
    if (connect(socket.fd(), each->ai_addr, each->ai_addrlen) != 0 ||
        getsockname(socket.fd(), address, &length) != 0) {
      continue;
    }
    if (auto text = text_of(address, length)) return text;
  }
  return std::nullopt;
}

std::vector<std::string> resolved_addresses(const std::string& host) {
  std::vector<std::string> texts;
  const Addresses addresses = resolve(host, 0, SOCK_STREAM);
  for (const addrinfo* each = addresses.get(); each; each = each->ai_next) {
    const auto text = text_of(each->ai_addr, each->ai_addrlen);
    if (text && std::ranges::count(texts, *text) == 0) texts.push_back(*text);
  }
  return texts;
}

// IPv6 takes IPv4 with it; IPv4 alone is for a machine without the other.
int failure_to_listen(int port) {
  addrinfo wanted{};
  wanted.ai_flags = AI_PASSIVE;
  wanted.ai_socktype = SOCK_STREAM;
  int error = EADDRNOTAVAIL;
  for (const int family : {AF_INET6, AF_INET}) {
    wanted.ai_family = family;
    addrinfo* found = nullptr;
    if (getaddrinfo(nullptr, std::to_string(port).c_str(), &wanted, &found) != 0) continue;
    const Addresses any(found, &freeaddrinfo);
    const Socket socket(*any, 0);
    if (socket.fd() < 0) continue;
    const int on = 1;
    setsockopt(socket.fd(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    const bool ok = bind(socket.fd(), any->ai_addr, any->ai_addrlen) == 0;
    error = ok && listen(socket.fd(), 1) == 0 ? 0 : errno;
    if (error != EADDRNOTAVAIL) return error;
  }
  return error;
}

std::vector<InterfaceAddress> interface_addresses() {
  std::vector<InterfaceAddress> found;
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return found;
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner(all, &freeifaddrs);
  for (const ifaddrs* each = all; each; each = each->ifa_next) {
    if (!each->ifa_addr || !(each->ifa_flags & IFF_UP)) continue;
    const int family = each->ifa_addr->sa_family;
    if (family != AF_INET && family != AF_INET6) continue;
    const socklen_t length = family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
    if (const auto text = text_of(each->ifa_addr, length)) found.push_back({each->ifa_name, *text});
  }
  return found;
}

}  // namespace lockstep
