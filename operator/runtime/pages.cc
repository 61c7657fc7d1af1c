// HTTP/1.0 over non-blocking sockets: the answer ends with the connection (decision 0013).
#include "operator/runtime/pages.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

namespace lockstep {
namespace {

using SteadyClock = std::chrono::steady_clock;

struct SocketAddress {
  sockaddr_storage bytes{};
  socklen_t size = 0;  // 0: no address
};

SocketAddress parse(const PageAddress& from) {
  SocketAddress address;
  auto* v4 = reinterpret_cast<sockaddr_in*>(&address.bytes);
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&address.bytes);
  const auto port = htons(static_cast<std::uint16_t>(from.port));
  if (inet_pton(AF_INET, from.ip.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = port;
    address.size = sizeof *v4;
  } else if (inet_pton(AF_INET6, from.ip.c_str(), &v6->sin6_addr) == 1) {
    v6->sin6_family = AF_INET6;
    v6->sin6_port = port;
    address.size = sizeof *v6;
  }
  return address;
}

// The body of a whole answer.
std::optional<std::string> body_of(const std::string& answer) {
  const std::size_t header = answer.find("\r\n\r\n");
  const std::string_view line(answer.data(), std::min<std::size_t>(answer.size(), 12));
  const bool is_ok = line == "HTTP/1.0 200" || line == "HTTP/1.1 200";
  if (!is_ok || header == std::string::npos) return std::nullopt;
  return answer.substr(header + 4);
}

// One question and its answer.
class Fetch {
 public:
  Fetch(const PageAddress& from, const std::string& path)
      : request_("GET " + path + " HTTP/1.0\r\nConnection: close\r\n\r\n") {
    const SocketAddress address = parse(from);
    if (address.size == 0) return;
    const int family = address.bytes.ss_family;
    socket_ = ::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    const auto* generic = reinterpret_cast<const sockaddr*>(&address.bytes);
    if (socket_ >= 0 && ::connect(socket_, generic, address.size) != 0 && errno != EINPROGRESS) {
      give_up();
    }
  }
  ~Fetch() { give_up(); }
  Fetch(Fetch&& other) noexcept
      : request_(std::move(other.request_)), socket_(std::exchange(other.socket_, -1)) {}

  bool is_running() const { return socket_ >= 0; }

  pollfd interest() const {
    return {socket_, static_cast<short>(request_.empty() ? POLLIN : POLLOUT), 0};
  }

  void go_on(std::size_t limit) { request_.empty() ? receive(limit) : send(); }

  const std::optional<std::string>& page() const { return page_; }

 private:
  void send() {
    const ssize_t sent = ::send(socket_, request_.data(), request_.size(), MSG_NOSIGNAL);
    if (sent > 0) {
      request_.erase(0, static_cast<std::size_t>(sent));
    } else if (errno != EAGAIN && errno != EINTR) {
      give_up();  // the connect failed, or the peer is gone
    }
  }

  void receive(std::size_t limit) {
    char buffer[16 * 1024];
    const ssize_t length = ::recv(socket_, buffer, sizeof buffer, 0);
    if (length > 0) {
      answer_.append(buffer, static_cast<std::size_t>(length));
      if (answer_.size() > limit) give_up();
    } else if (length == 0) {
      page_ = body_of(answer_);
      give_up();
    } else if (errno != EAGAIN && errno != EINTR) {
      give_up();
    }
  }

  void give_up() {
    if (socket_ >= 0) ::close(std::exchange(socket_, -1));
  }

  std::string request_;  // what is still to be sent
  int socket_ = -1;      // -1: at an end
  std::string answer_;
  std::optional<std::string> page_;
};

// Sleeps until one of them can go on, or until the deadline.
void wait(std::vector<Fetch>& fetches, std::size_t limit, SteadyClock::time_point deadline) {
  std::vector<pollfd> interests;
  std::vector<Fetch*> owners;
  for (Fetch& fetch : fetches) {
    if (!fetch.is_running()) continue;
    interests.push_back(fetch.interest());
    owners.push_back(&fetch);
  }
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - SteadyClock::now());
  ::poll(interests.data(), interests.size(), static_cast<int>(std::max<long>(0, left.count())));
  for (std::size_t i = 0; i < interests.size(); ++i) {
    if (interests[i].revents != 0) owners[i]->go_on(limit);
  }
}

}  // namespace

std::vector<std::optional<std::string>> fetch_pages(const std::vector<PageAddress>& addresses,
                                                    const std::string& path,
                                                    const PageLimits& limits) {
  const auto deadline = SteadyClock::now() + limits.patience;
  std::vector<Fetch> fetches;
  for (const PageAddress& address : addresses) fetches.emplace_back(address, path);
  const auto is_running = [](const Fetch& fetch) { return fetch.is_running(); };
  while (std::any_of(fetches.begin(), fetches.end(), is_running) && SteadyClock::now() < deadline) {
    wait(fetches, limits.bytes, deadline);
  }
  std::vector<std::optional<std::string>> pages;
  for (const Fetch& fetch : fetches) pages.push_back(fetch.page());
  return pages;
}

}  // namespace lockstep
