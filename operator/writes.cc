// Every write is safe to repeat: names are fixed, deletes carry a uid, status carries a version.
#include "operator/writes.h"

#include <algorithm>
#include <utility>

#include "operator/base/log.h"
#include "operator/base/text.h"

namespace lockstep {
namespace {

using nlohmann::json;

constexpr std::chrono::seconds kLongestWait{30};
constexpr std::size_t kMaxEventBytes = 1024;

json event_object(const TrainingJob& job, const Event& event, Time now) {
  const std::string time = format_time(now);
  return {{"apiVersion", "v1"},
          {"kind", "Event"},
          {"metadata", {{"generateName", job.meta.name + "."}, {"namespace", job.meta.namespace_}}},
          {"involvedObject",
           {{"apiVersion", names::kApiVersion},
            {"kind", names::kTrainingJob},
            {"namespace", job.meta.namespace_},
            {"name", job.meta.name},
            {"uid", job.meta.uid},
            {"resourceVersion", job.meta.resource_version}}},
          {"type", event.is_warning ? "Warning" : "Normal"},
          {"reason", event.reason},
          {"message", head(event.message, kMaxEventBytes)},
          {"source", {{"component", names::kOperator}}},
          {"reportingComponent", names::kOperator},
          {"firstTimestamp", time},
          {"lastTimestamp", time},
          {"count", 1}};
}

// Permission, quota, admission, validation, a webhook that fails: the same request will meet the
// same answer for a while, and the user has to hear of it.
bool is_refusal(const Error& error) {
  return error.kind == Kind::kForbidden || error.kind == Kind::kInvalid ||
         error.reason == "InternalError";
}

// Admission policies answer "Invalid" too, and may change; only validation itself calls the object
// so.
Refusal kind_of(const Error& error) {
  const bool is_for_good =
      error.reason == "Invalid" && error.message.find(" is invalid: ") != std::string::npos;
  return is_for_good ? Refusal::kForGood : Refusal::kForNow;
}

}  // namespace

bool Writes::are_visible(const ObjectKey& job) {
  MutexLock lock(mutex_);
  const auto found = written_.find(job);
  if (found == written_.end()) return true;
  const Written& written = found->second;
  const bool all_are_visible = std::all_of(
      written.versions.begin(), written.versions.end(),
      [&](const auto& entry) { return is_visible(entry.first, job.namespace_, entry.second); });
  if (!all_are_visible && clock_.steady_now() - written.at < kLongestWait) return false;
  written_.erase(found);
  return true;
}

bool Writes::is_visible(const Resource& resource, const std::string& namespace_,
                        const std::string& version) const {
  if (resource == kTrainingJobs) return caches_.jobs.has_reached(namespace_, version);
  if (resource == kPods) return caches_.pods.has_reached(namespace_, version);
  for (const CompanionStore& companions : caches_.companions) {
    if (companions.resource == resource) return companions.store->has_reached(namespace_, version);
  }
  return true;  // nobody watches it
}

void Writes::forget(const ObjectKey& job) {
  MutexLock lock(mutex_);
  written_.erase(job);
}

void Writes::remember(const ObjectKey& job, const Resource& resource, const json& object) {
  const std::string version = version_of(object);
  if (version.empty()) return;  // gone at once: its DELETED event cannot be waited for
  MutexLock lock(mutex_);
  Written& written = written_[job];
  written.at = clock_.steady_now();
  std::string& newest = written.versions[resource];
  if (has_reached(version, newest)) newest = version;
}

Result<void> Writes::write_status(const TrainingJob& job, const JobStatus& status,
                                  std::stop_token stop) {
  // A status that was never written reads as Pending, and yet has no phase to keep.
  const json before = job.status.attempt == 0 ? json::object() : to_json(job.status);
  const json change = merge_patch(before, to_json(status));
  if (change.empty()) return {};
  const json patch{{"metadata", {{"resourceVersion", job.meta.resource_version}}},
                   {"status", change}};
  const json written =
      TRY(client_.patch_status(kTrainingJobs, job.meta.key(), patch, std::move(stop)));
  remember(job.meta.key(), kTrainingJobs, written);
  return {};
}

void Writes::send_event(const TrainingJob& job, const Event& event, std::stop_token stop) {
  const auto sent = client_.create(kEvents, job.meta.namespace_,
                                   event_object(job, event, clock_.now()), std::move(stop));
  if (sent || sent.error().kind == Kind::kCancelled) return;
  log::warning("an event was lost", {{"job", job.meta.name},
                                     {"namespace", job.meta.namespace_},
                                     {"reason", event.reason},
                                     {"error", sent.error().message}});
}

Result<std::optional<RefusedCreate>> Writes::carry_out(const TrainingJob& job, const Action& action,
                                                       std::stop_token stop) {
  if (const auto* wanted = std::get_if<Create>(&action)) {
    return create(job, *wanted, std::move(stop));
  }
  if (const auto* pod = std::get_if<DeletePod>(&action)) {
    TRY(remove(job, kPods, pod->name, {.uid = pod->uid, .grace_seconds = pod->grace_seconds},
               std::move(stop)));
    return std::nullopt;
  }
  if (const auto* wanted = std::get_if<Patch>(&action)) {
    TRY(patch(job, *wanted, std::move(stop)));
    return std::nullopt;
  }
  const auto& expired = std::get<DeleteJob>(action);
  TRY(remove(job, kTrainingJobs, job.meta.name,
             {.uid = expired.uid, .resource_version = expired.resource_version}, std::move(stop)));
  return std::nullopt;
}

Result<std::optional<RefusedCreate>> Writes::create(const TrainingJob& job, const Create& wanted,
                                                    std::stop_token stop) {
  const Result<json> created =
      client_.create(wanted.resource, job.meta.namespace_, wanted.body, stop);
  if (created) {
    remember(job.meta.key(), wanted.resource, *created);
    return std::nullopt;
  }
  const Error& error = created.error();
  if (error.reason == "AlreadyExists") return accept_existing(job, wanted, std::move(stop));
  if (!is_refusal(error)) return tl::unexpected(error);
  const std::string what = described(wanted.resource, wanted.name);
  log::warning("the API server refused to create", {{"job", job.meta.name},
                                                    {"namespace", job.meta.namespace_},
                                                    {"object", what},
                                                    {"error", error.message}});
  return RefusedCreate{job.status.attempt, what, kind_of(error), error.message};
}

// A create whose answer was lost leaves an object of ours; any other owner bars the name.
Result<std::optional<RefusedCreate>> Writes::accept_existing(const TrainingJob& job,
                                                             const Create& wanted,
                                                             std::stop_token stop) {
  const ObjectKey key{job.meta.namespace_, wanted.name};
  const json object = TRY(client_.get(wanted.resource, key, std::move(stop)));
  const ObjectMeta meta = TRY(parse_meta(object));
  if (meta.controller_uid == job.meta.uid) {
    remember(job.meta.key(), wanted.resource, object);
    return std::nullopt;
  }
  return RefusedCreate{job.status.attempt, described(wanted.resource, wanted.name),
                       Refusal::kNameTaken, "it exists and has another owner"};
}

Result<void> Writes::remove(const TrainingJob& job, const Resource& resource,
                            const std::string& name, const DeleteOptions& options,
                            std::stop_token stop) {
  return settle(job, resource,
                client_.remove(resource, {job.meta.namespace_, name}, options, std::move(stop)));
}

Result<void> Writes::patch(const TrainingJob& job, const Patch& patch, std::stop_token stop) {
  const ObjectKey key{job.meta.namespace_, patch.name};
  return settle(job, patch.resource,
                patch.is_of_status
                    ? client_.patch_status(patch.resource, key, patch.change, std::move(stop))
                    : client_.patch(patch.resource, key, patch.change, std::move(stop)));
}

Result<void> Writes::settle(const TrainingJob& job, const Resource& resource,
                            const Result<json>& answer) {
  if (answer) {
    remember(job.meta.key(), resource, *answer);
    return {};
  }
  if (answer.error().kind == Kind::kNotFound) return {};
  return tl::unexpected(answer.error());  // kConflict: another uid or version: look again
}

}  // namespace lockstep
