// What to ask of the API server, as a value: made by pure functions, sent by a Transport.
#pragma once

#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "operator/api/meta.h"
#include "operator/api/resources.h"

namespace lockstep {

struct Request {
  std::string method;        // "GET", "POST", ...
  std::string target;        // path and query, percent-encoded
  std::string content_type;  // empty: no body
  std::string body;
  std::string verb;        // as RBAC calls it: "list", "watch", "create", ...
  std::string resource;    // as RBAC calls it: "pods", "trainingjobs/status"
  std::string namespace_;  // empty: all
  // The exchange fails when no byte arrives for this long.
  std::chrono::milliseconds silence_limit = std::chrono::seconds(30);
};

struct ListOptions {
  std::string namespace_ = {};      // empty: all
  std::string label_selector = {};  // empty: everything
  std::string version = {};  // "0": any the server has; "": the newest; else: at least that one
  int limit = 0;             // items a page; 0: no pages
  std::string continue_token = {};  // of the page before; `version` is then left out
};

struct WatchOptions {
  std::string namespace_ = {};
  std::string label_selector = {};
  std::string version = {};         // changes after this one
  std::chrono::seconds duration{};  // the server ends the watch after it
};

struct DeleteOptions {
  std::string uid = {};                   // precondition
  std::string resource_version = {};      // precondition; empty: any
  std::optional<int> grace_seconds = {};  // absent: the object's own
};

Request get_request(const Resource& resource, const ObjectKey& key);
Request list_request(const Resource& resource, const ListOptions& options);
Request watch_request(const Resource& resource, const WatchOptions& options);
Request create_request(const Resource& resource, const std::string& namespace_,
                       const nlohmann::json& object);
// Children go in the background: the answer does not wait for them.
Request delete_request(const Resource& resource, const ObjectKey& key,
                       const DeleteOptions& options);
// A JSON merge patch of the object, and one of its status subresource.
Request patch_request(const Resource& resource, const ObjectKey& key, const nlohmann::json& patch);
Request patch_status_request(const Resource& resource, const ObjectKey& key,
                             const nlohmann::json& patch);

// "list pods in namespace ml": for messages.
std::string describe(const Request& request);

}  // namespace lockstep
