// Blocking sockets with time limits; see web.h.
#include "tests/trainer/launch/web.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>

#include "tests/trainer/launch/launched.h"

namespace lockstep::test {
namespace {

sockaddr_in address_of(const std::string& host, int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  inet_pton(AF_INET, host.c_str(), &address.sin_addr);
  return address;
}

Fd new_socket() {
  Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const timeval patience = {30, 0};
  setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  return socket;
}

bool try_connect(const Fd& socket, const std::string& host, int port) {
  const sockaddr_in address = address_of(host, port);
  return connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

}  // namespace

int free_port() {
  static int next = 20000 + getpid() * 7 % 10000;
  for (int tries = 0; tries < 1000; ++tries) {
    const sockaddr_in address = address_of("127.0.0.1", ++next);
    const Fd probe = new_socket();
    const auto* generic = reinterpret_cast<const sockaddr*>(&address);
    if (bind(probe.get(), generic, sizeof address) == 0) return next;
  }
  throw std::runtime_error("no free port");
}

bool can_connect(const std::string& address, int port) {
  return try_connect(new_socket(), address, port);
}

Fd connect_to(int port) {
  Fd socket;
  wait_until("port " + std::to_string(port), [&] {
    Fd fresh = new_socket();
    if (!try_connect(fresh, "127.0.0.1", port)) return false;
    socket = std::move(fresh);
    return true;
  });
  return socket;
}

void send_text(const Fd& socket, std::string_view text) {
  [[maybe_unused]] const ssize_t sent = send(socket.get(), text.data(), text.size(), MSG_NOSIGNAL);
}

std::string receive_all(const Fd& socket) {
  std::string received;
  char buffer[64 << 10];
  for (ssize_t count; (count = recv(socket.get(), buffer, sizeof buffer, 0)) > 0;) {
    received.append(buffer, count);
  }
  return received;
}

std::string get(int port, const std::string& path) {
  const Fd socket = connect_to(port);
  send_text(socket, "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
  return receive_all(socket);
}

std::string get_page(int port, const std::string& path) {
  const std::string answer = get(port, path);
  if (!answer.starts_with("HTTP/1.1 200 OK\r\n")) throw std::runtime_error("answer: " + answer);
  return answer.substr(answer.find("\r\n\r\n") + 4);
}

}  // namespace lockstep::test
