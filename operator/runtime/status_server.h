// /healthz, /readyz and /metrics over HTTP.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "operator/base/result.h"

namespace lockstep {

// Where to listen, and what to say there. An empty function leaves its paths out.
struct StatusPages {
  std::function<bool()> is_ready;             // /readyz; /healthz answers as long as we live
  std::function<std::string()> metrics_text;  // /metrics
};

// Serves until destroyed, on threads of its own. The functions are called from these.
class StatusServer {
 public:
  // `address` is "host:port", "[::]:8080" or ":8080" (all IPv4 interfaces); port 0 takes a free
  // one. Errors: kInvalid, one sentence, when it makes no sense or the port is taken.
  static Result<std::unique_ptr<StatusServer>> start(const std::string& address, StatusPages pages);

  ~StatusServer();
  StatusServer(const StatusServer&) = delete;
  StatusServer& operator=(const StatusServer&) = delete;

  int port() const;

 private:
  struct Running;
  explicit StatusServer(std::unique_ptr<Running> running);

  std::unique_ptr<Running> running_;
};

}  // namespace lockstep
