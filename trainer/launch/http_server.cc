// Non-blocking sockets; see http_server.h.
#include "trainer/launch/http_server.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace lockstep {
namespace {

constexpr std::size_t kMostClients = 8;
constexpr int kMostAcceptedAtOnce = 64;
constexpr std::chrono::seconds kPatience(2);
constexpr std::chrono::seconds kRest(1);
constexpr int kBacklog = 1024;

bool would_block() { return errno == EAGAIN || errno == EINTR; }

Fd open_socket(int family) {
  return Fd(socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

bool listen_at(const Fd& socket, const sockaddr* address, socklen_t size) {
  const int on = 1;
  setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  return bind(socket.get(), address, size) == 0 && listen(socket.get(), kBacklog) == 0;
}

bool listen_ipv4(const Fd& socket, int port, in_addr_t host) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(host);
  return listen_at(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

// IPv4 as well.
bool listen_ipv6(const Fd& socket, int port) {
  const int off = 0;
  setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_port = htons(port);
  return listen_at(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

Fd listen_to(int port, bool is_public) {
  if (is_public) {
    Fd both = open_socket(AF_INET6);  // the kernel may have none
    if (both.is_open() && listen_ipv6(both, port)) return both;
  }
  Fd socket = open_socket(AF_INET);
  if (!listen_ipv4(socket, port, is_public ? INADDR_ANY : INADDR_LOOPBACK)) {
    throw std::system_error(errno, std::generic_category());
  }
  return socket;
}

// These return false when the connection is over.

bool write_answer(HttpClient& client) {
  const std::size_t rest = client.answer.size() - client.written;
  const ssize_t count =
      send(client.socket.get(), client.answer.data() + client.written, rest, MSG_NOSIGNAL);
  if (count < 0) return would_block();
  client.written += count;
  return client.written < client.answer.size();
}

bool read_request(HttpClient& client, const Pages& pages) {
  char buffer[kLongestRequest];
  const std::size_t room = kLongestRequest - client.request.size();
  const ssize_t count = recv(client.socket.get(), buffer, room, 0);
  if (count == 0) return false;
  if (count < 0) return would_block();
  client.request.append(buffer, count);
  client.answer = answer(client.request, pages);
  return client.answer.empty() || write_answer(client);
}

bool advance(HttpClient& client, const Pages& pages) {
  return client.answer.empty() ? read_request(client, pages) : write_answer(client);
}

}  // namespace

HttpServer::HttpServer(int port, bool is_public) : listener_(listen_to(port, is_public)) {}

void HttpServer::watch(std::vector<pollfd>& sources) const {
  if (rests_until_ == Time()) sources.push_back({listener_.get(), POLLIN, 0});
  for (const HttpClient& client : clients_) {
    const short event = client.answer.empty() ? POLLIN : POLLOUT;
    sources.push_back({client.socket.get(), event, 0});
  }
}

HttpServer::Time HttpServer::deadline() const {
  const Time expiry = clients_.empty() ? Time::max() : clients_.front().expiry;
  return rests_until_ == Time() ? expiry : std::min(expiry, rests_until_);
}

void HttpServer::serve(const Pages& pages, Time now) {
  std::erase_if(clients_, [&](HttpClient& client) {
    return now >= client.expiry || !advance(client, pages);
  });
  if (now >= rests_until_) accept_some(pages, now);
}

// A request that has come with its connection is answered before the next one can push it out.
void HttpServer::accept_some(const Pages& pages, Time now) {
  rests_until_ = {};
  for (int accepted = 0; accepted < kMostAcceptedAtOnce; ++accepted) {
    Fd socket(accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!socket.is_open()) {
      if (errno == EMFILE || errno == ENFILE) rests_until_ = now + kRest;
      return;
    }
    if (clients_.size() == kMostClients) clients_.pop_front();
    clients_.push_back({std::move(socket), now + kPatience, {}, {}});
    if (!advance(clients_.back(), pages)) clients_.pop_back();
  }
}

}  // namespace lockstep
