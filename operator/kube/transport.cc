// The only client code that knows of cpp-httplib (0.11.4 and later).
#include "operator/kube/transport.h"

#include <fcntl.h>
#include <httplib.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "operator/kube/tls.h"

namespace lockstep {
namespace {

constexpr std::chrono::seconds kConnectTimeout{5};
constexpr std::chrono::seconds kIdleLimit{60};
constexpr int kUserTimeoutMilliseconds = 30'000;  // unacknowledged data for so long: dead peer
constexpr std::size_t kMaxGatheredBytes = std::size_t{64} << 20;

void set_option(int socket, int level, int option, int value) {
  ::setsockopt(socket, level, option, &value, sizeof(value));
}

httplib::Request to_httplib(const Request& request, const ApiServer& server,
                            const std::string& token) {
  httplib::Request wire;
  wire.method = request.method;
  wire.path = server.path_prefix + request.target;
  wire.body = request.body;
  // Written here because older versions of the library leave out the brackets of IPv6.
  const std::string url = server.url();
  const std::size_t host = url.find("://") + 3;
  wire.set_header("Host", url.substr(host, url.find('/', host) - host));
  wire.set_header("Accept", "application/json");
  wire.set_header("User-Agent", "lockstep-operator/" LOCKSTEP_VERSION);
  if (!request.content_type.empty()) wire.set_header("Content-Type", request.content_type);
  if (!token.empty()) wire.set_header("Authorization", "Bearer " + token);
  return wire;
}

int retry_after(const httplib::Response& response) {
  const std::string text = response.get_header_value("Retry-After");
  return std::clamp(std::atoi(text.c_str()), 0, 3600);
}

}  // namespace

// One connection. The library cannot be stopped while it connects, so a second descriptor of the
// same socket is kept: shutting that down ends every phase, and its number cannot be reused.
class HttpTransport::Connection {
 public:
  static Result<std::unique_ptr<Connection>> make(const ApiServer& server, const Clock& clock);
  ~Connection() { close_socket(); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  Result<Response> exchange(httplib::Request wire, const Request& request, const Receive& receive,
                            std::stop_token stop);

 private:
  explicit Connection(const ApiServer& server, const Clock& clock)
      : server_(server), clock_(clock) {}

  // What is known about the exchange while it runs.
  struct Course {
    Response response;
    Result<void> received;
    std::chrono::steady_clock::time_point last_byte;
  };

  bool take(Course& course, const Receive& receive, std::string_view bytes);
  Error explain(httplib::Error error, const Course& course, const Request& request,
                const std::stop_token& stop) const;
  void prepare_socket(int socket);
  void allow();
  void cancel();
  void close_socket();

  const ApiServer& server_;
  const Clock& clock_;
  std::string tls_fault_;
  std::unique_ptr<httplib::ClientImpl> client_;
  Mutex mutex_;
  int socket_ GUARDED_BY(mutex_) = -1;
  bool is_cancelled_ GUARDED_BY(mutex_) = false;
};

Result<std::unique_ptr<HttpTransport::Connection>> HttpTransport::Connection::make(
    const ApiServer& server, const Clock& clock) {
  std::unique_ptr<Connection> connection(new Connection(server, clock));
  if (server.is_tls) {
    auto client = std::make_unique<httplib::SSLClient>(server.host, server.port);
    // The library's own check is weak in old versions: OpenSSL makes it in the handshake instead.
    client->enable_server_certificate_verification(false);
    TRY(configure_tls(client->ssl_context(), server, &connection->tls_fault_));
    connection->client_ = std::move(client);
  } else {
    connection->client_ = std::make_unique<httplib::ClientImpl>(server.host, server.port);
  }
  httplib::ClientImpl& client = *connection->client_;
  client.set_keep_alive(true);
  client.set_tcp_nodelay(true);
  client.set_connection_timeout(kConnectTimeout);
  client.set_write_timeout(kConnectTimeout);
  client.set_socket_options(
      [raw = connection.get()](socket_t socket) { raw->prepare_socket(socket); });
  return connection;
}

void HttpTransport::Connection::prepare_socket(int socket) {
  set_option(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(socket, IPPROTO_TCP, TCP_KEEPIDLE, 30);
  set_option(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, kUserTimeoutMilliseconds);
  close_socket();
  MutexLock lock(mutex_);
  socket_ = ::fcntl(socket, F_DUPFD_CLOEXEC, 0);
  if (!is_cancelled_) return;
  // Stopped while the name was resolved: what is not a socket cannot connect.
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ::dup3(nothing, socket, O_CLOEXEC);
  ::close(nothing);
}

void HttpTransport::Connection::allow() {
  MutexLock lock(mutex_);
  is_cancelled_ = false;
}

void HttpTransport::Connection::cancel() {
  MutexLock lock(mutex_);
  is_cancelled_ = true;
  if (socket_ >= 0) ::shutdown(socket_, SHUT_RDWR);
}

void HttpTransport::Connection::close_socket() {
  MutexLock lock(mutex_);
  if (socket_ >= 0) ::close(std::exchange(socket_, -1));
}

bool HttpTransport::Connection::take(Course& course, const Receive& receive,
                                     std::string_view bytes) {
  course.last_byte = clock_.steady_now();
  const bool is_success = course.response.status >= 200 && course.response.status < 300;
  if (is_success && receive) {
    course.received = receive(bytes);
  } else if (course.response.body.size() + bytes.size() > kMaxGatheredBytes) {
    course.received = failure(Kind::kInvalid, "the answer of the API server is over 64 MiB");
  } else {
    course.response.body.append(bytes);
  }
  return course.received.has_value();
}

Result<Response> HttpTransport::Connection::exchange(httplib::Request wire, const Request& request,
                                                     const Receive& receive, std::stop_token stop) {
  Course course;
  course.last_byte = clock_.steady_now();
  wire.response_handler = [&](const httplib::Response& head) {
    course.last_byte = clock_.steady_now();
    course.response.status = head.status;
    course.response.retry_after_seconds = retry_after(head);
    return !stop.stop_requested();
  };
  wire.content_receiver = [&](const char* data, std::size_t length, std::uint64_t, std::uint64_t) {
    return take(course, receive, {data, length}) && !stop.stop_requested();
  };
  client_->set_read_timeout(request.silence_limit);
  tls_fault_.clear();
  allow();
  const std::stop_callback cancel_on_stop(stop, [this] { cancel(); });
  httplib::Response ignored;
  httplib::Error error = httplib::Error::Success;
  if (client_->send(wire, ignored, error)) return std::move(course.response);
  return tl::unexpected(explain(error, course, request, stop));
}

Error HttpTransport::Connection::explain(httplib::Error error, const Course& course,
                                         const Request& request,
                                         const std::stop_token& stop) const {
  if (stop.stop_requested()) return {Kind::kCancelled, "stopping"};
  if (!course.received) return course.received.error();
  const std::string at = server_.url();
  if (!tls_fault_.empty()) {
    return {Kind::kUnavailable, "do not trust " + at + ": " + tls_fault_};
  }
  switch (error) {
    case httplib::Error::Connection:
      return {Kind::kUnavailable, "cannot connect to " + at + ": refused or no route"};
    case httplib::Error::ConnectionTimeout:
      return {Kind::kUnavailable, "cannot connect to " + at + ": no answer within 5 s"};
    case httplib::Error::SSLConnection:
      return {Kind::kUnavailable, "cannot agree on TLS with " + at};
    default:
      break;
  }
  if (clock_.steady_now() - course.last_byte >= request.silence_limit) {
    return {Kind::kUnavailable, at + " sent nothing for too long", 0, "Stalled"};
  }
  return {Kind::kUnavailable, "the connection to " + at + " broke"};
}

HttpTransport::HttpTransport(Credentials credentials, const Clock& clock)
    : credentials_(std::move(credentials)), clock_(clock) {}

HttpTransport::~HttpTransport() = default;

Result<Response> HttpTransport::exchange(const Request& request, const Receive& receive,
                                         std::stop_token stop) {
  for (bool is_retry = false;; is_retry = true) {
    if (stop.stop_requested()) return failure(Kind::kCancelled, "stopping");
    const std::string token =
        credentials_.token ? TRY(credentials_.token->current()) : std::string();
    std::unique_ptr<Connection> connection = TRY(take_connection());
    Response response = TRY(connection->exchange(to_httplib(request, credentials_.server, token),
                                                 request, receive, stop));
    keep_connection(std::move(connection));
    if (response.status != 401 || !credentials_.token || is_retry) return response;
    credentials_.token->expire();
  }
}

Result<std::unique_ptr<HttpTransport::Connection>> HttpTransport::take_connection() {
  {
    MutexLock lock(mutex_);
    const auto now = clock_.steady_now();
    std::erase_if(idle_, [now](const Idle& idle) { return now - idle.since > kIdleLimit; });
    if (!idle_.empty()) {
      std::unique_ptr<Connection> connection = std::move(idle_.back().connection);
      idle_.pop_back();
      return connection;
    }
  }
  return Connection::make(credentials_.server, clock_);
}

void HttpTransport::keep_connection(std::unique_ptr<Connection> connection) {
  MutexLock lock(mutex_);
  idle_.push_back({std::move(connection), clock_.steady_now()});
}

}  // namespace lockstep
