// Requests out, JSON in; json's exceptions stop here.
#include "operator/kube/client.h"

#include <utility>

#include "operator/api/fields.h"
#include "operator/kube/answer.h"
#include "operator/kube/splitter.h"

namespace lockstep {
namespace {

using nlohmann::json;

Result<json> parse_object(std::string_view text, const Request& request) {
  json object = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) {
    return failure(Kind::kInvalid, "cannot " + describe(request) + ": the answer is not JSON");
  }
  return object;
}

WatchEvent::Type type_of(const std::string& name) {
  if (name == "ADDED") return WatchEvent::Type::kAdded;
  if (name == "MODIFIED") return WatchEvent::Type::kModified;
  if (name == "DELETED") return WatchEvent::Type::kDeleted;
  if (name == "BOOKMARK") return WatchEvent::Type::kBookmark;
  return WatchEvent::Type::kUnknown;
}

Result<WatchEvent> parse_event(std::string_view line, const Request& request) {
  json source = TRY(parse_object(line, request));
  const std::string type = fields::text(source, "type");
  if (type == "ERROR") {
    return tl::unexpected(error_of_status(request, fields::member(source, "object")));
  }
  WatchEvent event;
  event.type = type_of(type);
  event.version = version_of(fields::member(source, "object"));
  if (event.version.empty() && event.type != WatchEvent::Type::kUnknown) {
    return failure(Kind::kInvalid, "an event of " + describe(request) + " has no resourceVersion");
  }
  event.object = std::move(source["object"]);
  return event;
}

}  // namespace

std::string version_of(const json& object) {
  return fields::text(fields::member(object, "metadata"), "resourceVersion");
}

Client::Client(Transport& transport, OnAnswer on_answer)
    : transport_(transport), on_answer_(std::move(on_answer)) {}

Result<json> Client::get(const Resource& resource, const ObjectKey& key, std::stop_token stop) {
  return send_for_object(get_request(resource, key), std::move(stop));
}

Result<json> Client::create(const Resource& resource, const std::string& namespace_,
                            const json& object, std::stop_token stop) {
  return send_for_object(create_request(resource, namespace_, object), std::move(stop));
}

Result<json> Client::remove(const Resource& resource, const ObjectKey& key,
                            const DeleteOptions& options, std::stop_token stop) {
  return send_for_object(delete_request(resource, key, options), std::move(stop));
}

Result<json> Client::patch(const Resource& resource, const ObjectKey& key, const json& patch,
                           std::stop_token stop) {
  return send_for_object(patch_request(resource, key, patch), std::move(stop));
}

Result<json> Client::patch_status(const Resource& resource, const ObjectKey& key, const json& patch,
                                  std::stop_token stop) {
  return send_for_object(patch_status_request(resource, key, patch), std::move(stop));
}

Result<PageEnd> Client::list(const Resource& resource, const ListOptions& options,
                             const OnObject& on_object, std::stop_token stop) {
  const Request request = list_request(resource, options);
  Splitter splitter(Splitter::Shape::kList, [&](std::string_view item) -> Result<void> {
    return on_object(TRY(parse_object(item, request)));
  });
  TRY(send(
      request, [&](std::string_view bytes) { return splitter.feed(bytes); }, std::move(stop)));
  const json envelope = TRY(parse_object(TRY(splitter.finish()), request));
  PageEnd end{version_of(envelope), fields::text(fields::member(envelope, "metadata"), "continue")};
  if (end.version.empty()) {
    return failure(Kind::kInvalid, "the answer to " + describe(request) + " is not a list");
  }
  return end;
}

Result<void> Client::watch(const Resource& resource, const WatchOptions& options,
                           const OnEvent& on_event, std::stop_token stop) {
  const Request request = watch_request(resource, options);
  Splitter splitter(Splitter::Shape::kWatch, [&](std::string_view line) -> Result<void> {
    return on_event(TRY(parse_event(line, request)));
  });
  TRY(send(
      request, [&](std::string_view bytes) { return splitter.feed(bytes); }, std::move(stop)));
  TRY(splitter.finish());
  return {};
}

Result<Response> Client::send(const Request& request, const Transport::Receive& receive,
                              std::stop_token stop) {
  Result<Response> response = transport_.exchange(request, receive, std::move(stop));
  if (on_answer_) on_answer_(request, response ? response->status : 0);
  if (!response) return response;
  if (response->status < 200 || response->status >= 300) {
    return tl::unexpected(error_of(request, *response));
  }
  return response;
}

Result<json> Client::send_for_object(const Request& request, std::stop_token stop) {
  const Response response = TRY(send(request, {}, std::move(stop)));
  return parse_object(response.body, request);
}

}  // namespace lockstep
