// Finding credentials, server addresses, and tokens that rotate.
#include "operator/kube/credentials.h"

#include <charconv>
#include <sstream>

#include "operator/kube/kubeconfig.h"
#include "operator/kube/tls.h"

namespace lockstep {
namespace {

constexpr std::chrono::minutes kTokenLifetime{1};

std::vector<std::string> split_paths(const std::string& list) {
  std::vector<std::string> paths;
  std::istringstream stream(list);
  for (std::string path; std::getline(stream, path, ':');) {
    if (!path.empty()) paths.push_back(path);
  }
  return paths;
}

Result<Credentials> load_in_cluster(const CredentialHints& hints, const Clock& clock) {
  const bool is_ipv6 = hints.service_host.find(':') != std::string::npos;
  const std::string host = is_ipv6 ? "[" + hints.service_host + "]" : hints.service_host;
  Credentials credentials;
  credentials.server = TRY(parse_server_url("https://" + host + ":" + hints.service_port));
  credentials.server.authorities.file = hints.account_dir + "/ca.crt";
  TRY(credentials.server.authorities.read());
  const std::string token_file = hints.account_dir + "/token";
  TRY(read_token_file(token_file));
  credentials.token =
      std::make_shared<TokenSource>([token_file] { return read_token_file(token_file); }, clock);
  return credentials;
}

Result<int> parse_port(const std::string& text, const std::string& url) {
  int port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size() || port < 1 || port > 65535) {
    return failure(Kind::kInvalid, "the API server's address " + url + " has no valid port");
  }
  return port;
}

Result<Credentials> find_credentials(const CredentialHints& hints, const Clock& clock) {
  if (!hints.kubeconfig.empty()) return load_kubeconfig({hints.kubeconfig}, hints.context, clock);
  if (!hints.kubeconfig_env.empty()) {
    return load_kubeconfig(split_paths(hints.kubeconfig_env), hints.context, clock);
  }
  if (!hints.service_host.empty() && hints.context.empty()) return load_in_cluster(hints, clock);
  return load_kubeconfig({hints.home + "/.kube/config"}, hints.context, clock);
}

}  // namespace

Result<std::string> Pem::read() const {
  if (!text.empty()) return text;
  const std::string content = TRY(read_small_file(file));
  if (content.empty()) return failure(Kind::kInvalid, file + " is empty");
  return content;
}

std::string ApiServer::url() const {
  const bool is_ipv6 = host.find(':') != std::string::npos;
  return (is_tls ? "https://" : "http://") + (is_ipv6 ? "[" + host + "]" : host) + ":" +
         std::to_string(port) + path_prefix;
}

Result<ApiServer> parse_server_url(const std::string& url) {
  ApiServer server;
  const std::size_t scheme_end = url.find("://");
  const std::string scheme = url.substr(0, scheme_end);
  if (scheme_end == std::string::npos || (scheme != "https" && scheme != "http")) {
    return failure(Kind::kInvalid,
                   "the API server's address \"" + url + "\" must start with https:// or http://");
  }
  server.is_tls = scheme == "https";
  std::string rest = url.substr(scheme_end + 3);
  const std::size_t slash = rest.find('/');
  if (slash != std::string::npos) {
    server.path_prefix = rest.substr(slash);
    rest.resize(slash);
    while (server.path_prefix.ends_with('/')) server.path_prefix.pop_back();
  }
  const std::size_t bracket = rest.starts_with('[') ? rest.find(']') : std::string::npos;
  const std::size_t colon = rest.find(':', bracket == std::string::npos ? 0 : bracket);
  server.port = colon == std::string::npos ? (server.is_tls ? 443 : 80)
                                           : TRY(parse_port(rest.substr(colon + 1), url));
  server.host = rest.substr(0, colon);
  if (bracket != std::string::npos) server.host = rest.substr(1, bracket - 1);
  if (server.host.empty()) {
    return failure(Kind::kInvalid, "the API server's address \"" + url + "\" names no host");
  }
  return server;
}

Result<std::string> TokenSource::current() {
  MutexLock lock(mutex_);
  if (is_fresh_ && clock_.steady_now() - read_at_ < kTokenLifetime) return token_;
  Result<std::string> read = read_();
  if (read) {
    token_ = std::move(*read);
    is_fresh_ = true;
    read_at_ = clock_.steady_now();
  } else if (token_.empty()) {
    return read;
  }
  return token_;
}

void TokenSource::expire() {
  MutexLock lock(mutex_);
  is_fresh_ = false;
}

Result<Credentials> load_credentials(const CredentialHints& hints, const Clock& clock) {
  Credentials credentials = TRY(find_credentials(hints, clock));
  TRY(check_tls(credentials.server));
  return credentials;
}

}  // namespace lockstep
