// The parts of kubectl's configuration that lead to one API server.
#include "operator/kube/kubeconfig.h"

#include <openssl/evp.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace lockstep {
namespace {

constexpr std::size_t kMaxFileBytes = std::size_t{1} << 20;

struct File {
  std::string path;
  YAML::Node root;
};

// An entry of "clusters", "users" or "contexts", and the file whose folder its paths start from.
struct Entry {
  std::string path;
  YAML::Node node;
};

// yaml-cpp throws when an absent node is asked for its type.
bool is_map(const YAML::Node& node) { return node.IsDefined() && node.IsMap(); }

std::string text(const YAML::Node& node, const char* key) {
  if (!is_map(node)) return {};
  const YAML::Node value = node[key];
  return value.IsDefined() && value.IsScalar() ? value.as<std::string>() : std::string();
}

std::string joined(const std::vector<std::string>& files) {
  std::string all;
  for (const std::string& file : files) all += (all.empty() ? "" : ", ") + file;
  return all;
}

Result<std::vector<File>> read_files(const std::vector<std::string>& paths) {
  std::vector<File> files;
  for (const std::string& path : paths) {
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) continue;
    const std::string content = TRY(read_small_file(path));
    try {
      files.push_back({path, YAML::Load(content)});
    } catch (const YAML::Exception& error) {
      return failure(Kind::kInvalid, "kubeconfig " + path + " is not YAML: " + error.what());
    }
    if (!files.back().root.IsMap()) {
      return failure(Kind::kInvalid, "kubeconfig " + path + " is not a kubeconfig: it has no keys");
    }
  }
  if (files.empty()) {
    return failure(Kind::kInvalid, "kubeconfig " + joined(paths) +
                                       " does not exist: give --kubeconfig or set KUBECONFIG");
  }
  return files;
}

// `list` is "clusters", `kind` "cluster", and so on.
Result<Entry> find_entry(const std::vector<File>& files, const std::string& list,
                         const std::string& kind, const std::string& name) {
  for (const File& file : files) {
    const YAML::Node entries = file.root[list];
    if (!entries.IsDefined() || !entries.IsSequence()) continue;
    for (const YAML::Node& entry : entries) {
      if (text(entry, "name") == name) return Entry{file.path, entry[kind]};
    }
  }
  return failure(Kind::kInvalid,
                 "kubeconfig " + files.front().path + " has no " + kind + " \"" + name + "\"");
}

std::string beside(const Entry& entry, const std::string& path) {
  if (path.empty() || path.front() == '/') return path;
  return (std::filesystem::path(entry.path).parent_path() / path).string();
}

Result<std::string> decode_base64(std::string coded, const std::string& what) {
  std::erase_if(coded, [](char c) { return c == '\n' || c == '\r' || c == ' '; });
  std::string plain(coded.size() / 4 * 3, '\0');
  const int length =
      EVP_DecodeBlock(reinterpret_cast<unsigned char*>(plain.data()),
                      reinterpret_cast<const unsigned char*>(coded.data()), int(coded.size()));
  if (length < 0) return failure(Kind::kInvalid, what + " is not valid base64");
  plain.resize(length - std::min<std::ptrdiff_t>(2, std::count(coded.begin(), coded.end(), '=')));
  return plain;
}

// `key`-data in the file beats the path under `key`.
Result<Pem> pem_of(const Entry& entry, const std::string& key) {
  Pem pem;
  const std::string data = text(entry.node, (key + "-data").c_str());
  if (!data.empty()) {
    pem.text = TRY(decode_base64(data, key + "-data in kubeconfig " + entry.path));
  } else {
    pem.file = beside(entry, text(entry.node, key.c_str()));
    if (!pem.file.empty()) TRY(pem.read());
  }
  return pem;
}

Result<ApiServer> server_of(const Entry& cluster) {
  const std::string address = text(cluster.node, "server");
  if (address.empty()) {
    return failure(Kind::kInvalid, "a cluster in kubeconfig " + cluster.path + " has no server");
  }
  if (!text(cluster.node, "proxy-url").empty()) {
    return failure(Kind::kInvalid,
                   "proxy-url in kubeconfig " + cluster.path +
                       " is not supported: give an address that is reached directly");
  }
  ApiServer server = TRY(parse_server_url(address));
  server.server_name = text(cluster.node, "tls-server-name");
  server.is_verified = text(cluster.node, "insecure-skip-tls-verify") != "true";
  server.authorities = TRY(pem_of(cluster, "certificate-authority"));
  return server;
}

Result<std::shared_ptr<TokenSource>> token_of(const Entry& user, const Clock& clock) {
  for (const char* plugin : {"exec", "auth-provider"}) {
    if (is_map(user.node) && user.node[plugin].IsDefined()) {
      return failure(Kind::kInvalid, "a user in kubeconfig " + user.path + " has \"" + plugin +
                                         "\", which is not supported: give a token or a client "
                                         "certificate instead");
    }
  }
  const std::string file = beside(user, text(user.node, "tokenFile"));
  if (!file.empty()) {
    TRY(read_token_file(file));
    return std::make_shared<TokenSource>([file] { return read_token_file(file); }, clock);
  }
  const std::string token = text(user.node, "token");
  if (token.empty()) return std::shared_ptr<TokenSource>();
  return std::make_shared<TokenSource>([token] { return Result<std::string>(token); }, clock);
}

Result<std::string> context_name(const std::vector<File>& files, const std::string& wanted) {
  if (!wanted.empty()) return wanted;
  for (const File& file : files) {
    const std::string current = text(file.root, "current-context");
    if (!current.empty()) return current;
  }
  return failure(Kind::kInvalid,
                 "kubeconfig " + files.front().path + " has no current-context: give --context");
}

}  // namespace

Result<Credentials> load_kubeconfig(const std::vector<std::string>& paths,
                                    const std::string& wanted_context, const Clock& clock) {
  const std::vector<File> files = TRY(read_files(paths));
  const std::string name = TRY(context_name(files, wanted_context));
  const Entry context = TRY(find_entry(files, "contexts", "context", name));
  const Entry cluster =
      TRY(find_entry(files, "clusters", "cluster", text(context.node, "cluster")));
  Credentials credentials;
  credentials.server = TRY(server_of(cluster));
  const std::string user_name = text(context.node, "user");
  if (user_name.empty()) return credentials;
  const Entry user = TRY(find_entry(files, "users", "user", user_name));
  credentials.server.client_certificate = TRY(pem_of(user, "client-certificate"));
  credentials.server.client_key = TRY(pem_of(user, "client-key"));
  credentials.token = TRY(token_of(user, clock));
  return credentials;
}

Result<std::string> read_small_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::string content(kMaxFileBytes + 1, '\0');
  if (!stream || !(stream.read(content.data(), std::ssize(content)) || stream.eof())) {
    return failure(Kind::kInvalid, "cannot read " + path);
  }
  content.resize(stream.gcount());
  if (content.size() > kMaxFileBytes) {
    return failure(Kind::kInvalid, path + " is larger than 1 MiB");
  }
  return content;
}

Result<std::string> read_token_file(const std::string& path) {
  const std::string content = TRY(read_small_file(path));
  const std::size_t first = content.find_first_not_of(" \t\r\n");
  if (first == std::string::npos)
    return failure(Kind::kInvalid, "token file " + path + " is empty");
  return content.substr(first, content.find_last_not_of(" \t\r\n") - first + 1);
}

}  // namespace lockstep
