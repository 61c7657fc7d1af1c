// Carries one request to the API server and its answer back.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "operator/base/mutex.h"
#include "operator/base/result.h"
#include "operator/kube/credentials.h"
#include "operator/kube/request.h"

namespace lockstep {

struct Response {
  int status = 0;
  std::string body = {};  // of an error, or when nobody took the pieces
  int retry_after_seconds = 0;
};

// Threads: any; each exchange holds a connection of its own while it lasts.
class Transport {
 public:
  // A piece of the body of a successful answer (2xx), cut anywhere. An error ends the exchange.
  using Receive = std::function<Result<void>(std::string_view bytes)>;

  virtual ~Transport() = default;

  // Waits for the whole answer. Without `receive` its body is gathered. A stop ends it within a
  // second once connected, and within the connect timeout (5 s) before.
  // Errors: kUnavailable when no whole answer came (the request may have been carried out),
  // kInvalid for credentials that cannot be used, kCancelled, and those of `receive`.
  virtual Result<Response> exchange(const Request& request, const Receive& receive,
                                    std::stop_token stop) = 0;
};

// Over HTTP/1.1 and TLS. Keeps connections open between exchanges, and drops those idle for 60 s:
// the API server closes them after 90. A refused token (401) is read again once. No exchange may be
// running when it is destroyed.
class HttpTransport final : public Transport {
 public:
  HttpTransport(Credentials credentials, const Clock& clock);
  ~HttpTransport() override;

  Result<Response> exchange(const Request& request, const Receive& receive,
                            std::stop_token stop) override;

 private:
  class Connection;
  struct Idle {
    std::unique_ptr<Connection> connection;
    std::chrono::steady_clock::time_point since;
  };

  Result<std::unique_ptr<Connection>> take_connection();
  void keep_connection(std::unique_ptr<Connection> connection);

  const Credentials credentials_;
  const Clock& clock_;
  Mutex mutex_;
  std::vector<Idle> idle_ GUARDED_BY(mutex_);
};

}  // namespace lockstep
