// Sections of text, from the state of the job down to its events.
#include "operator/plugin/describe.h"

#include <algorithm>

#include "operator/api/core.h"
#include "operator/api/fields.h"
#include "operator/api/training_job.h"
#include "operator/plugin/last_failure.h"
#include "operator/plugin/pods.h"
#include "operator/plugin/progress.h"
#include "operator/plugin/words.h"

namespace lockstep {
namespace {

using nlohmann::json;

constexpr std::size_t kLabelWidth = 15;
constexpr std::size_t kMostEvents = 20;

// "Label:         value"; nothing without a value. Further lines of the value stand under it.
std::string line(const std::string& label, const std::string& value) {
  if (value.empty()) return "";
  const std::string margin(kLabelWidth, ' ');
  std::string text = label + ":";
  text.resize(kLabelWidth, ' ');
  return text + indented(value, margin).substr(kLabelWidth);
}

std::string section(const std::string& label, const std::string& text) {
  return text.empty() ? "" : "\n" + label + ":\n" + indented(text, "  ");
}

std::string state_text(const JobStatus& status, Time now, const Paint& paint) {
  if (status.observed_generation == 0) return "no operator has looked at it yet";
  std::string text = paint(phase_name(status.phase), colour_of(status.phase));
  if (status.completion_time)
    return text + ", ended " + age_text(status.completion_time, now) + " ago";
  if (status.start_time) text += ", started " + age_text(status.start_time, now) + " ago";
  return text + (status.display.reason.empty() ? "" : " (" + status.display.reason + ")");
}

std::string nodes_text(const JobStatus& status) {
  const NodeCounts& nodes = status.nodes;
  std::string text = std::to_string(nodes.desired);
  const std::pair<int, const char*> counts[] = {{nodes.pending, "pending"},
                                                {nodes.ready, "ready"},
                                                {nodes.succeeded, "succeeded"},
                                                {nodes.failed, "failed"}};
  const char* before = ": ";
  for (const auto& [count, word] : counts) {
    if (count == 0) continue;
    text += before + std::to_string(count) + " " + word;
    before = ", ";
  }
  return text + "; " + std::to_string(status.world_size) + " processes in all";
}

std::string attempt_text(const JobStatus& status, Time now) {
  std::string text = std::to_string(status.attempt);
  if (status.attempt_cause != AttemptCause::kInitial) {
    text += ", because of " + std::string(cause_name(status.attempt_cause));
  }
  if (status.attempt_start_time)
    text += ", began " + age_text(status.attempt_start_time, now) + " ago";
  if (status.next_restart_time && *status.next_restart_time > now) {
    text += ", its pods are created in " + age_text(now, *status.next_restart_time);
  }
  return text;
}

std::string restarts_text(const TrainingJob& job) {
  const Restarts& restarts = job.status.restarts;
  const RunPolicy& policy = job.spec.run_policy;
  std::string text = plural(restarts.failures, "failure") + " of at most " +
                     std::to_string(policy.backoff_limit) + ", " +
                     plural(restarts.disruptions, "disruption");
  if (policy.disruption_limit) text += " of at most " + std::to_string(*policy.disruption_limit);
  return text;
}

std::string conditions_text(const JobStatus& status, Time now) {
  Table table({"TYPE", "STATUS", "REASON", "SINCE", "MESSAGE"});
  for (const Condition& each : status.conditions) {
    table.add({each.type, each.status ? "True" : "False", each.reason,
               age_text(each.last_transition, now), first_line(each.message)});
  }
  return table.is_empty() ? "" : table.text();
}

std::string pods_text(const std::vector<json>& pods, Time now) {
  Table table({"NODE", "POD", "ATTEMPT", "PHASE", "MACHINE", "AGE", "WHY"});
  for (const json& object : by_node_rank(pods)) {
    const Result<Pod> pod = parse_pod(object);
    if (!pod) continue;
    table.add({label(object, names::kNodeRank), pod->meta.name, label(object, names::kAttempt),
               pod->meta.deletion_time ? "Terminating" : pod->phase, pod->node_name,
               age_text(pod->meta.creation_time, now), first_line(why_not_ready(*pod))});
  }
  return table.is_empty() ? "" : table.text();
}

std::string companions_text(const std::vector<json>& companions, Time now) {
  Table table({"KIND", "NAME", "AGE"});
  for (const json& object : companions) {
    const json& meta = fields::member(object, "metadata");
    table.add({fields::text(object, "kind"), fields::text(meta, "name"),
               age_text(fields::time(meta, "creationTimestamp"), now)});
  }
  return table.is_empty() ? "" : table.text();
}

// Events written by series or by the new API have no lastTimestamp.
std::optional<Time> last_seen(const json& event) {
  for (const char* key : {"lastTimestamp", "eventTime", "firstTimestamp"}) {
    if (const auto time = fields::time(event, key)) return time;
  }
  return fields::time(fields::member(event, "metadata"), "creationTimestamp");
}

std::string events_text(std::vector<json> events, Time now) {
  std::stable_sort(events.begin(), events.end(),
                   [](const json& a, const json& b) { return last_seen(a) < last_seen(b); });
  if (events.size() > kMostEvents) events.erase(events.begin(), events.end() - kMostEvents);
  Table table({"AGE", "TYPE", "REASON", "COUNT", "MESSAGE"});
  for (const json& event : events) {
    table.add({age_text(last_seen(event), now), fields::text(event, "type"),
               fields::text(event, "reason"),
               std::to_string(std::max(1, fields::small_integer(event, "count"))),
               first_line(fields::text(event, "message"))});
  }
  return table.is_empty() ? "" : table.text();
}

}  // namespace

Result<std::string> describe_job(const json& object, const Surroundings& around, Time now,
                                 const Paint& paint) {
  const TrainingJob job = TRY(parse_training_job(object));
  const JobStatus& status = job.status;
  const json& progress = fields::member(fields::member(object, "status"), "progress");
  std::string text = line("Name", job.meta.name) + line("Namespace", job.meta.namespace_) +
                     line("State", state_text(status, now, paint)) +
                     line("Invalid", job.faults.summary()) + line("Queue", status.display.queue);
  if (status.observed_generation > 0) {
    text += line("Nodes", nodes_text(status)) + line("Attempt", attempt_text(status, now)) +
            line("Restarts", restarts_text(job)) +
            line("Progress", describe(parse_progress(progress))) +
            line("Master", status.master_address);
  }
  if (status.last_failure) text += line("Last failure", describe(*status.last_failure, now));
  return text + section("Conditions", conditions_text(status, now)) +
         section("Pods", pods_text(around.pods, now)) +
         section("Objects", companions_text(around.companions, now)) +
         section("Events", events_text(around.events, now));
}

}  // namespace lockstep
