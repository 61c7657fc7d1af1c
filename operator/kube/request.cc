// URLs and bodies of the Kubernetes API, as its API conventions define them.
#include "operator/kube/request.h"

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

namespace lockstep {
namespace {

using nlohmann::json;
using Query = std::vector<std::pair<std::string, std::string>>;

// A watch hears a bookmark about each minute: three silent minutes mean a dead connection.
constexpr std::chrono::minutes kWatchSilenceLimit{3};

std::string percent_encoded(std::string_view text) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string encoded;
  for (const unsigned char c : text) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' || c == '~';
    if (is_plain) {
      encoded += static_cast<char>(c);
    } else {
      encoded += {'%', kHex[c >> 4], kHex[c & 15]};
    }
  }
  return encoded;
}

std::string path_of(const Resource& resource, const std::string& namespace_,
                    const std::string& name = {}) {
  std::string path = resource.group.empty() ? "/api/" : "/apis/";
  if (!resource.group.empty()) path.append(resource.group).append("/");
  path += resource.version;
  if (!namespace_.empty()) path += "/namespaces/" + percent_encoded(namespace_);
  path.append("/").append(resource.plural);
  if (!name.empty()) path += "/" + percent_encoded(name);
  return path;
}

std::string with_query(std::string path, const Query& query) {
  char separator = '?';
  for (const auto& [key, value] : query) {
    path += separator + key + "=" + percent_encoded(value);
    separator = '&';
  }
  return path;
}

Request base_request(std::string method, std::string verb, const Resource& resource,
                     const std::string& namespace_, std::string target) {
  Request request;
  request.method = std::move(method);
  request.target = std::move(target);
  request.verb = std::move(verb);
  request.resource = resource.plural;
  request.namespace_ = namespace_;
  return request;
}

void set_body(Request& request, std::string content_type, const json& body) {
  request.content_type = std::move(content_type);
  // Texts that pods or users wrote may hold broken UTF-8; it must not stop a write.
  request.body = body.dump(-1, ' ', false, json::error_handler_t::replace);
}

Request merge_patch_request(const Resource& resource, const ObjectKey& key,
                            const std::string& subresource, const json& patch) {
  const std::string path = path_of(resource, key.namespace_, key.name) + subresource;
  Request request = base_request("PATCH", "patch", resource, key.namespace_,
                                 with_query(path, {{"fieldManager", names::kOperator}}));
  request.resource += subresource;
  set_body(request, "application/merge-patch+json", patch);
  return request;
}

}  // namespace

Request get_request(const Resource& resource, const ObjectKey& key) {
  return base_request("GET", "get", resource, key.namespace_,
                      path_of(resource, key.namespace_, key.name));
}

Request list_request(const Resource& resource, const ListOptions& options) {
  Query query;
  if (!options.label_selector.empty()) query.emplace_back("labelSelector", options.label_selector);
  if (options.limit > 0) query.emplace_back("limit", std::to_string(options.limit));
  if (!options.continue_token.empty()) {
    query.emplace_back("continue", options.continue_token);
  } else if (!options.version.empty()) {
    query.emplace_back("resourceVersion", options.version);
  }
  return base_request("GET", "list", resource, options.namespace_,
                      with_query(path_of(resource, options.namespace_), query));
}

Request watch_request(const Resource& resource, const WatchOptions& options) {
  Query query{{"watch", "true"}, {"allowWatchBookmarks", "true"}};
  if (!options.label_selector.empty()) query.emplace_back("labelSelector", options.label_selector);
  query.emplace_back("resourceVersion", options.version);
  query.emplace_back("timeoutSeconds", std::to_string(options.duration.count()));
  Request request = base_request("GET", "watch", resource, options.namespace_,
                                 with_query(path_of(resource, options.namespace_), query));
  request.silence_limit = kWatchSilenceLimit;
  return request;
}

Request create_request(const Resource& resource, const std::string& namespace_,
                       const json& object) {
  Request request =
      base_request("POST", "create", resource, namespace_,
                   with_query(path_of(resource, namespace_), {{"fieldManager", names::kOperator}}));
  set_body(request, "application/json", object);
  return request;
}

Request delete_request(const Resource& resource, const ObjectKey& key,
                       const DeleteOptions& options) {
  Request request = base_request("DELETE", "delete", resource, key.namespace_,
                                 path_of(resource, key.namespace_, key.name));
  json body{{"apiVersion", "v1"},
            {"kind", "DeleteOptions"},
            {"propagationPolicy", "Background"},
            {"preconditions", {{"uid", options.uid}}}};
  if (!options.resource_version.empty()) {
    body["preconditions"]["resourceVersion"] = options.resource_version;
  }
  if (options.grace_seconds) body["gracePeriodSeconds"] = *options.grace_seconds;
  set_body(request, "application/json", body);
  return request;
}

Request patch_request(const Resource& resource, const ObjectKey& key, const json& patch) {
  return merge_patch_request(resource, key, "", patch);
}

Request patch_status_request(const Resource& resource, const ObjectKey& key, const json& patch) {
  return merge_patch_request(resource, key, "/status", patch);
}

std::string describe(const Request& request) {
  return request.verb + " " + request.resource +
         (request.namespace_.empty() ? " in all namespaces"
                                     : " in namespace " + request.namespace_);
}

}  // namespace lockstep
