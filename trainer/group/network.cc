// Sockets behind the two questions of network.h.
#include "trainer/group/network.h"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

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
    char text[NI_MAXHOST];
    if (connect(socket.fd(), each->ai_addr, each->ai_addrlen) == 0 &&
        getsockname(socket.fd(), address, &length) == 0 &&
        getnameinfo(address, length, text, sizeof text, nullptr, 0, NI_NUMERICHOST) == 0) {
      return text;
    }
  }
  return std::nullopt;
}

}  // namespace lockstep
