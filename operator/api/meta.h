// The parts of Kubernetes object metadata that this operator reads.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "operator/base/result.h"

namespace lockstep {

// Wall-clock time of the API, whole seconds or finer; UTC.
using Time = std::chrono::sys_time<std::chrono::milliseconds>;

// RFC 3339, as Kubernetes writes metav1.Time ("2026-01-02T03:04:05Z"): whole seconds, rounded down.
// parse_time also takes fractions, of which it keeps milliseconds; nullopt when malformed.
std::string format_time(Time time);
std::optional<Time> parse_time(const std::string& text);

struct ObjectKey {
  std::string namespace_;
  std::string name;
  auto operator<=>(const ObjectKey&) const = default;
};

struct ObjectMeta {
  std::string namespace_;
  std::string name;
  std::string uid;
  std::string resource_version;
  std::int64_t generation = 0;
  std::map<std::string, std::string> labels;
  std::map<std::string, std::string> annotations;
  std::optional<Time> creation_time;
  std::optional<Time>
      deletion_time;  // set: the object is being deleted; when it will be gone at the latest
  std::optional<int> deletion_grace_seconds;
  std::string controller_uid;  // uid of the ownerReference with controller: true, else empty

  ObjectKey key() const { return {namespace_, name}; }
};

// Reads object["metadata"]. Errors: kInvalid when name or uid is missing.
Result<ObjectMeta> parse_meta(const nlohmann::json& object);

// metav1.Condition.
struct Condition {
  std::string type;
  bool status = false;
  std::string reason;
  std::string message;
  Time last_transition{};
  std::int64_t observed_generation = 0;
  bool is_unknown = false;  // neither True nor False; then status is false
  bool operator==(const Condition&) const = default;
};

}  // namespace lockstep
