// A Workload of Kueue's from its JSON.
#include "operator/api/workload.h"

#include <algorithm>

#include "operator/api/fields.h"

namespace lockstep {

using nlohmann::json;

const json& Workload::condition(std::string_view type) const {
  static const json none;
  for (const json& condition : conditions) {
    if (fields::text(condition, "type") == type) return condition;
  }
  return none;
}

bool Workload::is(std::string_view type) const {
  return fields::text(condition(type), "status") == "True";
}

std::string Workload::reason(std::string_view type) const {
  return fields::text(condition(type), "reason");
}

std::string Workload::message(std::string_view type) const {
  return fields::text(condition(type), "message");
}

Workload parse_workload(const json& object) {
  const json& spec = fields::member(object, "spec");
  const json& status = fields::member(object, "status");
  return {.is_active = !spec.contains("active") || fields::flag(spec, "active"),
          .conditions = fields::list(status, "conditions"),
          .admission = fields::member(status, "admission"),
          .admission_checks = fields::list(status, "admissionChecks")};
}

void set_condition(json& conditions, const Condition& condition) {
  const char* status = condition.status ? "True" : "False";
  const auto found = std::find_if(conditions.begin(), conditions.end(), [&](const json& each) {
    return fields::text(each, "type") == condition.type;
  });
  json& stored = found == conditions.end() ? conditions.emplace_back() : *found;
  if (fields::text(stored, "status") != status) {
    stored["lastTransitionTime"] = format_time(condition.last_transition);
  }
  stored["type"] = condition.type;
  stored["status"] = status;
  stored["reason"] = condition.reason;
  stored["message"] = condition.message;
  stored["observedGeneration"] = condition.observed_generation;
}

}  // namespace lockstep
