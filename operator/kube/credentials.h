// Where the API server is, how to trust it and who we are: from a kubeconfig or from inside a pod.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "operator/base/clock.h"
#include "operator/base/mutex.h"
#include "operator/base/result.h"

namespace lockstep {

// Certificates or a key in PEM form: in memory, or in a file that is read anew for each connection,
// so that a rotated one is picked up.
struct Pem {
  std::string text = {};
  std::string file = {};  // used when `text` is empty

  bool is_given() const { return !text.empty() || !file.empty(); }
  Result<std::string> read() const;  // kInvalid when the file cannot be read or is empty
};

struct ApiServer {
  bool is_tls = true;
  std::string host = {};  // a name or an IP address, IPv6 without brackets
  int port = 443;
  std::string path_prefix = {};  // "" or "/k8s/clusters/one"
  std::string server_name = {};  // the name or address its certificate must carry; empty: host
  bool is_verified = true;       // false: insecure-skip-tls-verify
  Pem authorities = {};          // not given: those of the system
  Pem client_certificate = {};
  Pem client_key = {};

  std::string url() const;
};

// "https://host:port/prefix" into `server`; kInvalid when it makes no sense.
Result<ApiServer> parse_server_url(const std::string& url);

// A bearer token that may rotate. Threads: any.
class TokenSource {
 public:
  using Read = std::function<Result<std::string>()>;

  TokenSource(Read read, const Clock& clock) : read_(std::move(read)), clock_(clock) {}

  // At most a minute old. When reading fails, the last good one; the error if there is none.
  Result<std::string> current();

  // The server refused it: the next current() reads again.
  void expire();

 private:
  const Read read_;
  const Clock& clock_;
  Mutex mutex_;
  std::string token_ GUARDED_BY(mutex_);
  bool is_fresh_ GUARDED_BY(mutex_) = false;
  std::chrono::steady_clock::time_point read_at_ GUARDED_BY(mutex_);
};

struct Credentials {
  ApiServer server;
  std::shared_ptr<TokenSource> token;  // null: none
};

// What the process was told, by flags and environment variables; empty when it was not.
struct CredentialHints {
  std::string kubeconfig = {};      // --kubeconfig
  std::string context = {};         // --context
  std::string kubeconfig_env = {};  // $KUBECONFIG: files separated by colons
  std::string home = {};            // $HOME
  std::string service_host = {};    // $KUBERNETES_SERVICE_HOST
  std::string service_port = {};    // $KUBERNETES_SERVICE_PORT
  std::string account_dir = "/var/run/secrets/kubernetes.io/serviceaccount";
};

// In this order: --kubeconfig, $KUBECONFIG, the pod's service account, ~/.kube/config.
// Errors: kInvalid, one sentence that says which file and what is wrong.
Result<Credentials> load_credentials(const CredentialHints& hints, const Clock& clock);

}  // namespace lockstep
