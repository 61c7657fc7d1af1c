// status to and from JSON.
#include "operator/api/job_status.h"

#include <algorithm>
#include <array>

#include "operator/api/fields.h"
#include "operator/api/names.h"

namespace lockstep {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 7> kPhases = {
    "Pending", "Starting", "Running", "Restarting", "Suspended", "Succeeded", "Failed"};
constexpr std::array<std::string_view, 5> kCauses = {"Initial", "Failure", "Disruption", "Suspend",
                                                     "PartialCreate"};

// The enumerator whose name stands in `names`; the first for any other text.
template <typename Enum, std::size_t N>
Enum enumerator(const std::array<std::string_view, N>& names, const std::string& text) {
  const auto found = std::find(names.begin(), names.end(), text);
  return found == names.end() ? Enum{} : static_cast<Enum>(found - names.begin());
}

void put(json& object, const char* key, const std::string& value) {
  if (!value.empty()) object[key] = value;
}

void put(json& object, const char* key, const std::optional<Time>& value) {
  if (value) object[key] = format_time(*value);
}

void put(json& object, const char* key, const std::optional<int>& value) {
  if (value) object[key] = *value;
}

Condition parse_condition(const json& source) {
  return {.type = fields::text(source, "type"),
          .status = fields::text(source, "status") == "True",
          .reason = fields::text(source, "reason"),
          .message = fields::text(source, "message"),
          .last_transition = fields::time(source, "lastTransitionTime").value_or(Time{}),
          .observed_generation = fields::integer(source, "observedGeneration"),
          .is_unknown = fields::text(source, "status") == "Unknown"};
}

json condition_json(const Condition& condition) {
  return {{"type", condition.type},
          {"status", condition.is_unknown ? "Unknown"
                     : condition.status   ? "True"
                                          : "False"},
          {"reason", condition.reason},
          {"message", condition.message},
          {"lastTransitionTime", format_time(condition.last_transition)},
          {"observedGeneration", condition.observed_generation}};
}

Restarts parse_restarts(const json& source) {
  return {.failures = fields::small_integer(source, "failures"),
          .disruptions = fields::small_integer(source, "disruptions"),
          .consecutive = fields::small_integer(source, "consecutive")};
}

json restarts_json(const Restarts& restarts) {
  return {{"failures", restarts.failures},
          {"disruptions", restarts.disruptions},
          {"consecutive", restarts.consecutive}};
}

NodeCounts parse_nodes(const json& source) {
  return {.desired = fields::small_integer(source, "desired"),
          .pending = fields::small_integer(source, "pending"),
          .ready = fields::small_integer(source, "ready"),
          .succeeded = fields::small_integer(source, "succeeded"),
          .failed = fields::small_integer(source, "failed")};
}

json nodes_json(const NodeCounts& nodes) {
  return {{"desired", nodes.desired},
          {"pending", nodes.pending},
          {"ready", nodes.ready},
          {"succeeded", nodes.succeeded},
          {"failed", nodes.failed}};
}

std::optional<LastFailure> parse_last_failure(const json& source) {
  if (!source.is_object()) return std::nullopt;
  return LastFailure{.attempt = fields::small_integer(source, "attempt"),
                     .node_rank = fields::small_integer(source, "nodeRank"),
                     .rank = fields::optional_integer(source, "rank"),
                     .pod = fields::text(source, "pod"),
                     .node = fields::text(source, "node"),
                     .exit_code = fields::optional_integer(source, "exitCode"),
                     .signal = fields::small_integer(source, "signal"),
                     .reason = fields::text(source, "reason"),
                     .message = fields::text(source, "message"),
                     .finished_at = fields::time(source, "finishedAt")};
}

json last_failure_json(const LastFailure& failure) {
  json object = {{"attempt", failure.attempt}, {"nodeRank", failure.node_rank}};
  put(object, "rank", failure.rank);
  put(object, "pod", failure.pod);
  put(object, "node", failure.node);
  put(object, "exitCode", failure.exit_code);
  if (failure.signal != 0) object["signal"] = failure.signal;
  put(object, "reason", failure.reason);
  put(object, "message", failure.message);
  put(object, "finishedAt", failure.finished_at);
  return object;
}

Display parse_display(const json& source) {
  return {.nodes = fields::text(source, "nodes"),
          .restarts = fields::text(source, "restarts"),
          .progress = fields::text(source, "progress"),
          .eta = fields::text(source, "eta"),
          .throughput = fields::text(source, "throughput"),
          .loss = fields::text(source, "loss"),
          .reason = fields::text(source, "reason"),
          .queue = fields::text(source, "queue")};
}

json display_json(const Display& display) {
  json object = json::object();
  put(object, "nodes", display.nodes);
  put(object, "restarts", display.restarts);
  put(object, "progress", display.progress);
  put(object, "eta", display.eta);
  put(object, "throughput", display.throughput);
  put(object, "loss", display.loss);
  put(object, "reason", display.reason);
  put(object, "queue", display.queue);
  return object;
}

}  // namespace

std::string_view phase_name(Phase phase) { return kPhases[static_cast<std::size_t>(phase)]; }
std::string_view cause_name(AttemptCause cause) { return kCauses[static_cast<std::size_t>(cause)]; }

const Condition* JobStatus::condition(std::string_view type) const {
  const auto found = std::find_if(conditions.begin(), conditions.end(),
                                  [&](const Condition& each) { return each.type == type; });
  return found == conditions.end() ? nullptr : &*found;
}

bool JobStatus::is(std::string_view type) const {
  const Condition* found = condition(type);
  return found != nullptr && found->status;
}

bool JobStatus::is_finished() const { return is(names::kComplete) || is(names::kFailed); }

JobStatus parse_status(const json& source) {
  JobStatus status;
  status.observed_generation = fields::integer(source, "observedGeneration");
  status.phase = enumerator<Phase>(kPhases, fields::text(source, "phase"));
  for (const json& condition : fields::list(source, "conditions")) {
    status.conditions.push_back(parse_condition(condition));
  }
  status.attempt = std::max(0, fields::small_integer(source, "attempt"));
  status.attempt_cause = enumerator<AttemptCause>(kCauses, fields::text(source, "attemptCause"));
  status.attempt_start_time = fields::time(source, "attemptStartTime");
  status.pods_created = fields::flag(source, "podsCreated");
  status.next_restart_time = fields::time(source, "nextRestartTime");
  status.create_retry_time = fields::time(source, "createRetryTime");
  status.image = fields::text(source, "image");
  status.restarts = parse_restarts(fields::member(source, "restarts"));
  status.nodes = parse_nodes(fields::member(source, "nodes"));
  status.world_size = fields::small_integer(source, "worldSize");
  status.master_address = fields::text(source, "masterAddress");
  status.start_time = fields::time(source, "startTime");
  status.completion_time = fields::time(source, "completionTime");
  status.last_failure = parse_last_failure(fields::member(source, "lastFailure"));
  const json& progress = fields::member(source, "progress");
  if (progress.is_object()) status.progress = parse_progress(progress);
  status.progress_time = fields::time(progress, "updatedTime");
  status.display = parse_display(fields::member(source, "display"));
  return status;
}

json to_json(const JobStatus& status) {
  json object = {{"observedGeneration", status.observed_generation},
                 {"phase", phase_name(status.phase)},
                 {"attempt", status.attempt},
                 {"attemptCause", cause_name(status.attempt_cause)},
                 {"podsCreated", status.pods_created},
                 {"restarts", restarts_json(status.restarts)},
                 {"nodes", nodes_json(status.nodes)},
                 {"worldSize", status.world_size},
                 {"display", display_json(status.display)}};
  object["conditions"] = json::array();
  for (const Condition& condition : status.conditions) {
    object["conditions"].push_back(condition_json(condition));
  }
  put(object, "attemptStartTime", status.attempt_start_time);
  put(object, "nextRestartTime", status.next_restart_time);
  put(object, "createRetryTime", status.create_retry_time);
  put(object, "image", status.image);
  put(object, "masterAddress", status.master_address);
  put(object, "startTime", status.start_time);
  put(object, "completionTime", status.completion_time);
  if (status.progress) {
    object["progress"] = to_json(*status.progress);
    put(object["progress"], "updatedTime", status.progress_time);
  }
  if (status.last_failure) object["lastFailure"] = last_failure_json(*status.last_failure);
  return object;
}

json merge_patch(const json& before, const json& after) {
  json patch = json::object();
  for (const auto& [key, value] : after.items()) {
    const json& old = fields::member(before, key.c_str());
    if (old == value) continue;
    patch[key] = value.is_object() && old.is_object() ? merge_patch(old, value) : value;
  }
  for (const auto& [key, value] : before.items()) {
    if (!after.contains(key)) patch[key] = nullptr;
  }
  return patch;
}

}  // namespace lockstep
