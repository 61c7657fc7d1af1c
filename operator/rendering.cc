// The jobs of a manifest as the operator would see them first, and their objects.
#include "operator/rendering.h"

#include "operator/api/fields.h"
#include "operator/api/manifest.h"
#include "operator/api/strict.h"
#include "operator/plan/companions.h"
#include "operator/plan/desired_pod.h"
#include "operator/plan/events.h"
#include "operator/plan/gang.h"
#include "operator/plan/workload_request.h"

namespace lockstep {
namespace {

using nlohmann::json;

constexpr char kNoUid[] = "00000000-0000-0000-0000-000000000000";

// The API server drops a null, such as `nodeSelector:` with nothing behind it, but not in config,
// whose fields it does not know.
void drop_nulls(json& value) {
  if (!value.is_structured()) return;
  for (auto entry = value.begin(); entry != value.end();) {
    if (value.is_object() && entry->is_null()) {
      entry = value.erase(entry);
    } else {
      if (!value.is_object() || entry.key() != "config") drop_nulls(*entry);
      ++entry;
    }
  }
}

// As the API server and the operator's first look would complete it. Its spec may have faults.
Result<TrainingJob> first_attempt(json object, const std::string& default_namespace) {
  drop_nulls(object);
  const json& spec = fields::member(object, "spec");
  if (!spec.is_object()) return strict::refuse("spec", spec, "an object");
  json& metadata = object["metadata"];
  if (!metadata.is_object()) metadata = json::object();
  if (fields::text(metadata, "name").empty()) {
    return failure(Kind::kInvalid,
                   "metadata.name: write a name, in quotes if it looks like a number or a truth "
                   "value");
  }
  if (fields::text(metadata, "namespace").empty()) metadata["namespace"] = default_namespace;
  if (!metadata.contains("uid")) metadata["uid"] = kNoUid;
  object["status"] = {{"attempt", 1}};
  return parse_training_job(object);
}

void add_objects(const TrainingJob& job, const Platform& platform, std::vector<json>& objects) {
  for (const Create& companion : desired_companions(job, platform)) {
    objects.push_back(companion.body);
  }
  if (platform.has_kueue && !queue_of(job).empty()) {
    objects.push_back(desired_workload(job, platform).body);
  }
  for (int rank = 0; rank < job.spec.num_nodes; ++rank) {
    objects.push_back(desired_pod(job, rank, platform));
  }
}

void add(const Result<TrainingJob>& job, const Platform& platform, Rendering& rendering) {
  if (!job) {
    rendering.faults.push_back(job.error().message);
    return;
  }
  const std::string name = job->meta.name + ": ";
  for (const std::string& fault : job->faults.sentences()) rendering.faults.push_back(name + fault);
  if (!job->faults.empty()) return;
  for (const Event& event : warnings_about(*job, platform)) {
    rendering.warnings.push_back(name + "warning: " + event.message);
  }
  if (const std::string why = why_no_gang(job->spec, platform); !why.empty()) {
    rendering.warnings.push_back(name + "warning: " + why);
  }
  add_objects(*job, platform, rendering.objects);
}

bool is_training_job(const json& object) {
  return fields::text(object, "apiVersion") == names::kApiVersion &&
         fields::text(object, "kind") == names::kTrainingJob;
}

// Also those in a List, as kubectl takes them.
void collect_jobs(const json& object, std::vector<json>& jobs) {
  if (is_training_job(object)) jobs.push_back(object);
  if (fields::text(object, "kind") != "List") return;
  for (const json& item : fields::list(object, "items")) collect_jobs(item, jobs);
}

}  // namespace

Result<Rendering> render_manifest(const std::string& text, const std::string& default_namespace,
                                  const Platform& platform) {
  std::vector<json> jobs;
  for (const json& document : TRY(parse_manifest(text))) {
    collect_jobs(document, jobs);
  }
  if (jobs.empty()) {
    return failure(Kind::kInvalid, std::string("there is no ") + names::kTrainingJob + " of " +
                                       names::kApiVersion + " in it");
  }
  Rendering rendering;
  for (const json& source : jobs) {
    add(first_attempt(source, default_namespace), platform, rendering);
  }
  return rendering;
}

}  // namespace lockstep
