// The API server's verbs over any Transport.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <string>

#include "operator/api/meta.h"
#include "operator/base/result.h"
#include "operator/kube/request.h"
#include "operator/kube/transport.h"

namespace lockstep {

struct WatchEvent {
  enum class Type { kAdded, kModified, kDeleted, kBookmark, kUnknown };
  Type type = Type::kUnknown;
  std::string version;  // the resourceVersion of the object
  nlohmann::json object;
};

struct PageEnd {
  std::string version;         // of the whole list
  std::string continue_token;  // empty: this was the last page
};

// Errors of every call: those of the transport and of the HTTP status (answer.h). After
// kUnavailable a write may have happened: look before repeating it.
// Threads: any.
class Client {
 public:
  // Called after each answer, with the HTTP status, 0 when there was none.
  using OnAnswer = std::function<void(const Request& request, int status)>;
  // An error returned by these ends the call, and is its result.
  using OnObject = std::function<Result<void>(nlohmann::json object)>;
  using OnEvent = std::function<Result<void>(WatchEvent event)>;

  explicit Client(Transport& transport, OnAnswer on_answer = {});

  Result<nlohmann::json> get(const Resource& resource, const ObjectKey& key, std::stop_token stop);

  // Returns the object as it was stored.
  Result<nlohmann::json> create(const Resource& resource, const std::string& namespace_,
                                const nlohmann::json& object, std::stop_token stop);

  // Returns the object, or a Status when it is gone at once.
  Result<nlohmann::json> remove(const Resource& resource, const ObjectKey& key,
                                const DeleteOptions& options, std::stop_token stop);

  // `patch` is a JSON merge patch; metadata.resourceVersion in it makes the write conditional.
  Result<nlohmann::json> patch(const Resource& resource, const ObjectKey& key,
                               const nlohmann::json& patch, std::stop_token stop);
  Result<nlohmann::json> patch_status(const Resource& resource, const ObjectKey& key,
                                      const nlohmann::json& patch, std::stop_token stop);

  // One page. Objects are handed over while it arrives: a failure may come after some of them.
  Result<PageEnd> list(const Resource& resource, const ListOptions& options,
                       const OnObject& on_object, std::stop_token stop);

  // Until the server ends the watch. An ERROR event is the error that it carries.
  Result<void> watch(const Resource& resource, const WatchOptions& options, const OnEvent& on_event,
                     std::stop_token stop);

 private:
  Result<Response> send(const Request& request, const Transport::Receive& receive,
                        std::stop_token stop);
  Result<nlohmann::json> send_for_object(const Request& request, std::stop_token stop);

  Transport& transport_;
  const OnAnswer on_answer_;
};

// resourceVersion of an object or list; empty when there is none.
std::string version_of(const nlohmann::json& object);

}  // namespace lockstep
