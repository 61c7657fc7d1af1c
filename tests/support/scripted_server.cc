// Plain blocking sockets: one thread a connection, nothing cleverer than a test needs.
#include "tests/support/scripted_server.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/pem.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <sstream>
#include <utility>

namespace lockstep::testing {
namespace {

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return tolower(c); });
  return text;
}

SeenRequest parse_head(const std::string& head) {
  SeenRequest request;
  std::istringstream lines(head);
  std::string line;
  std::getline(lines, line);
  std::istringstream(line) >> request.method >> request.target;
  while (std::getline(lines, line)) {
    const std::size_t colon = line.find(": ");
    if (colon == std::string::npos) continue;
    request.headers[lower_case(line.substr(0, colon))] =
        line.substr(colon + 2, line.size() - colon - 3);
  }
  return request;
}

std::string status_line(int status) {
  return "HTTP/1.1 " + std::to_string(status) + " Scripted\r\n";
}

SSL_CTX* context_of(const Identity& identity) {
  SSL_CTX* context = SSL_CTX_new(TLS_server_method());
  BIO* certificate = BIO_new_mem_buf(identity.certificate_pem.data(), -1);
  BIO* key = BIO_new_mem_buf(identity.key_pem.data(), -1);
  X509* x509 = PEM_read_bio_X509(certificate, nullptr, nullptr, nullptr);
  EVP_PKEY* pkey = PEM_read_bio_PrivateKey(key, nullptr, nullptr, nullptr);
  SSL_CTX_use_certificate(context, x509);
  SSL_CTX_use_PrivateKey(context, pkey);
  X509_free(x509);
  EVP_PKEY_free(pkey);
  BIO_free(certificate);
  BIO_free(key);
  return context;
}

}  // namespace

void Wire::reply(int status, std::string_view body, std::string_view headers) {
  std::string answer = status_line(status) + "Content-Length: " + std::to_string(body.size()) +
                       "\r\n" + std::string(headers) + "\r\n";
  raw(answer.append(body));
  is_cut_ = false;
}

void Wire::begin(int status) {
  raw(status_line(status) + "Transfer-Encoding: chunked\r\n\r\n");
  is_cut_ = true;
}

void Wire::chunk(std::string_view bytes) {
  std::ostringstream framed;
  framed << std::hex << bytes.size() << "\r\n" << bytes << "\r\n";
  raw(framed.str());
}

void Wire::end() {
  raw("0\r\n\r\n");
  is_cut_ = false;
}

bool Wire::raw(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = tls_ ? SSL_write(tls_, bytes.data(), static_cast<int>(bytes.size()))
                              : ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(sent);
  }
  return true;
}

std::string Wire::read_some() {
  std::string bytes(16384, '\0');
  const ssize_t count = tls_ ? SSL_read(tls_, bytes.data(), static_cast<int>(bytes.size()))
                             : ::recv(socket_, bytes.data(), bytes.size(), 0);
  bytes.resize(std::max<ssize_t>(count, 0));
  return bytes;
}

void Wire::wait_until_closed() {
  while (!read_some().empty()) {
  }
}

std::optional<SeenRequest> Wire::next_request() {
  is_cut_ = true;
  std::size_t head_end = 0;
  while ((head_end = buffer_.find("\r\n\r\n")) == std::string::npos) {
    const std::string bytes = read_some();
    if (bytes.empty()) return std::nullopt;
    buffer_ += bytes;
  }
  SeenRequest request = parse_head(buffer_.substr(0, head_end + 2));
  buffer_.erase(0, head_end + 4);
  const auto length = request.headers.find("content-length");
  const std::size_t size = length == request.headers.end() ? 0 : std::stoul(length->second);
  while (buffer_.size() < size) {
    const std::string bytes = read_some();
    if (bytes.empty()) return std::nullopt;
    buffer_ += bytes;
  }
  request.body = buffer_.substr(0, size);
  buffer_.erase(0, size);
  return request;
}

ScriptedServer::ScriptedServer(Script script) : script_(std::move(script)) { start(); }

ScriptedServer::ScriptedServer(Script script, const Identity& identity)
    : script_(std::move(script)) {
  tls_.reset(context_of(identity));
  start();
}

// As the operator's main does: writing to a connection that the other side cut is an error, no
// signal.
void ScriptedServer::start() {
  signal(SIGPIPE, SIG_IGN);
  listen_on_loopback();
  acceptor_ = std::jthread([this] { accept_all(); });
}

ScriptedServer::~ScriptedServer() {
  ::shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  ::close(listener_);
  {
    MutexLock lock(mutex_);
    for (const int socket : sockets_) ::shutdown(socket, SHUT_RDWR);
  }
  threads_.clear();
  MutexLock lock(mutex_);
  for (const int socket : sockets_) ::close(socket);
}

ApiServer ScriptedServer::address() const {
  return {.is_tls = false, .host = "127.0.0.1", .port = port_};
}

std::vector<SeenRequest> ScriptedServer::seen() const {
  MutexLock lock(mutex_);
  return seen_;
}

int ScriptedServer::connections() const {
  MutexLock lock(mutex_);
  return static_cast<int>(sockets_.size());
}

void ScriptedServer::listen_on_loopback() {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof(address));
  ::listen(listener_, 64);
  socklen_t length = sizeof(address);
  ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length);
  port_ = ntohs(address.sin_port);
}

void ScriptedServer::accept_all() {
  for (;;) {
    const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) return;
    const int on = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    {
      MutexLock lock(mutex_);
      sockets_.push_back(socket);
    }
    threads_.emplace_back([this, socket] { serve(socket); });
  }
}

// The descriptor is closed by the destructor, so that its number stays ours; here it is shut down.
void ScriptedServer::serve(int socket) {
  std::unique_ptr<SSL, decltype(&SSL_free)> tls{tls_ ? SSL_new(tls_.get()) : nullptr, SSL_free};
  if (tls) SSL_set_fd(tls.get(), socket);
  if (!tls || SSL_accept(tls.get()) == 1) {
    Wire wire(socket, tls.get());
    while (const std::optional<SeenRequest> request = wire.next_request()) {
      int index = 0;
      {
        MutexLock lock(mutex_);
        index = static_cast<int>(seen_.size());
        seen_.push_back(*request);
      }
      script_(*request, index, wire);
      if (wire.is_cut()) break;
    }
  }
  ::shutdown(socket, SHUT_RDWR);
}

}  // namespace lockstep::testing
