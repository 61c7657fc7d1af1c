// An HTTP/1.1 server on a loopback port whose every byte a test decides.
#pragma once

#include <openssl/ssl.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "operator/base/mutex.h"
#include "operator/kube/credentials.h"
#include "tests/support/certificates.h"

namespace lockstep::testing {

struct SeenRequest {
  std::string method;
  std::string target;
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
};

// The server's side of one exchange.
class Wire {
 public:
  Wire(int socket, SSL* tls) : socket_(socket), tls_(tls) {}

  // A whole answer. `headers` are lines that each end with \r\n.
  void reply(int status, std::string_view body, std::string_view headers = {});

  // A chunked answer: begin, chunks, end. Without end() the connection is cut.
  void begin(int status = 200);
  void chunk(std::string_view bytes);
  void end();

  bool raw(std::string_view bytes);  // false once the other side has closed

  // Until the other side closes.
  void wait_until_closed();

  // Reads the next request; nullopt when the connection was closed.
  std::optional<SeenRequest> next_request();

  bool is_cut() const { return is_cut_; }

 private:
  std::string read_some();

  int socket_;
  SSL* tls_;
  std::string buffer_;
  bool is_cut_ = false;
};

// Each connection has a thread that calls the script for each request on it. Destruction closes all
// connections and waits for the threads.
class ScriptedServer {
 public:
  // `index` counts the requests of the server from 0. A script that neither replies nor ends its
  // chunks closes the connection.
  using Script = std::function<void(const SeenRequest& request, int index, Wire& wire)>;

  explicit ScriptedServer(Script script);
  ScriptedServer(Script script, const Identity& identity);  // over TLS
  ~ScriptedServer();

  int port() const { return port_; }
  ApiServer address() const;  // http; tests of TLS fill in the rest
  std::vector<SeenRequest> seen() const;
  int connections() const;

 private:
  void start();
  void listen_on_loopback();
  void accept_all();
  void serve(int socket);

  const Script script_;
  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> tls_{nullptr, SSL_CTX_free};
  int listener_ = -1;
  int port_ = 0;
  mutable Mutex mutex_;
  std::vector<SeenRequest> seen_ GUARDED_BY(mutex_);
  std::vector<int> sockets_ GUARDED_BY(mutex_);
  std::vector<std::jthread> threads_;  // touched by the accepting thread, and after it ended
  std::jthread acceptor_;
};

}  // namespace lockstep::testing
