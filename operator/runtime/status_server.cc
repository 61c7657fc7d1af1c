// A small server: no bodies are read, no connection is kept, two threads are enough.
#include "operator/runtime/status_server.h"

#include <httplib.h>
#include <sys/socket.h>

#include <atomic>
#include <charconv>
#include <thread>
#include <utility>

namespace lockstep {
namespace {

constexpr std::size_t kThreads = 2;
constexpr std::size_t kMaxBodyBytes = 1024;

struct Address {
  std::string host;
  int port = 0;
};

Result<Address> parse_address(const std::string& text) {
  Address address;
  const std::size_t colon = text.rfind(':');
  const std::string port = colon == std::string::npos ? "" : text.substr(colon + 1);
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), address.port);
  const bool is_number = error == std::errc() && end == port.data() + port.size();
  if (!is_number || address.port < 0 || address.port > 65535) {
    return failure(Kind::kInvalid, "\"" + text + "\" is not an address: write host:port");
  }
  address.host = text.substr(0, colon);
  if (address.host.starts_with('[') && address.host.ends_with(']')) {
    address.host = address.host.substr(1, address.host.size() - 2);
  }
  if (address.host.empty()) address.host = "0.0.0.0";
  return address;
}

// The library's default also shares the port, so that a second operator would not be noticed.
void reuse_address(int socket) {
  const int on = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
}

}  // namespace

struct StatusServer::Running {
  httplib::Server server;
  int port = 0;
  std::atomic<bool> has_ended = false;
  std::thread thread;
};

Result<std::unique_ptr<StatusServer>> StatusServer::start(const std::string& address,
                                                          StatusPages pages) {
  const Address at = TRY(parse_address(address));
  auto running = std::make_unique<Running>();
  httplib::Server& server = running->server;
  server.new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
  server.set_socket_options(reuse_address);
  server.set_keep_alive_max_count(1);
  server.set_payload_max_length(kMaxBodyBytes);
  if (pages.is_ready) {
    server.Get("/healthz", [](const httplib::Request&, httplib::Response& response) {
      response.set_content("ok\n", "text/plain");
    });
    server.Get("/readyz", [is_ready = std::move(pages.is_ready)](const httplib::Request&,
                                                                 httplib::Response& response) {
      const bool is_yes = is_ready();
      response.status = is_yes ? 200 : 503;
      response.set_content(is_yes ? "ok\n" : "the first lists have not come yet\n", "text/plain");
    });
  }
  if (pages.metrics_text) {
    server.Get("/metrics", [text = std::move(pages.metrics_text)](const httplib::Request&,
                                                                  httplib::Response& response) {
      response.set_content(text(), "text/plain; version=0.0.4");
    });
  }
  running->port = at.port == 0 ? server.bind_to_any_port(at.host)
                               : (server.bind_to_port(at.host, at.port) ? at.port : -1);
  if (running->port < 0) {
    return failure(Kind::kInvalid, "cannot listen on " + address + ": is the port taken?");
  }
  running->thread = std::thread([raw = running.get()] {
    raw->server.listen_after_bind();
    raw->has_ended = true;
  });
  return std::unique_ptr<StatusServer>(new StatusServer(std::move(running)));
}

StatusServer::StatusServer(std::unique_ptr<Running> running) : running_(std::move(running)) {}

StatusServer::~StatusServer() {
  // stop() does nothing before the loop runs.
  while (!running_->server.is_running() && !running_->has_ended) std::this_thread::yield();
  running_->server.stop();
  running_->thread.join();
}

int StatusServer::port() const { return running_->port; }

}  // namespace lockstep
