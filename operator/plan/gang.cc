// PodGroups of Volcano, of scheduler-plugins' coscheduling and of Kubernetes itself.
#include "operator/plan/gang.h"

#include "operator/api/fields.h"

namespace lockstep {
namespace {

using nlohmann::json;

constexpr char kVolcanoScheduler[] = "volcano";
constexpr char kDefaultScheduler[] = "default-scheduler";

std::string scheduler_name(const JobSpec& spec) {
  const std::string name = fields::text(fields::member(spec.pod_template, "spec"), "schedulerName");
  return name.empty() ? kDefaultScheduler : name;
}

// By the scheduler that the pods name. Where they name none, Volcano's may be filled in;
// coscheduling has no fixed name.
std::optional<Resource> automatic(const JobSpec& spec, const Platform& platform) {
  const std::string scheduler = scheduler_name(spec);
  if (scheduler == kVolcanoScheduler) return platform.volcano;
  if (scheduler != kDefaultScheduler) return platform.coscheduling;
  return platform.native ? platform.native : platform.volcano;
}

bool is_volcano(const Resource& pod_groups) { return pod_groups.group == kVolcanoPodGroups.group; }

bool is_coscheduling(const Resource& pod_groups) {
  return pod_groups.group == kCoschedulingPodGroups.group;
}

void set_if(json& object, const char* key, const std::string& value) {
  if (!value.empty()) object[key] = value;
}

}  // namespace

std::optional<Resource> pod_groups_of(const JobSpec& spec, const Platform& platform) {
  switch (spec.scheduling.gang) {
    case Gang::kNone:
      return std::nullopt;
    case Gang::kAuto:
      return automatic(spec, platform);
    case Gang::kVolcano:
      return platform.volcano;
    case Gang::kCoscheduling:
      return platform.coscheduling;
    case Gang::kNative:
      return platform.native;
  }
  return std::nullopt;
}

json pod_group_spec(const JobSpec& spec, const Resource& pod_groups) {
  const SchedulingPolicy& policy = spec.scheduling;
  if (is_volcano(pod_groups)) {
    json group = {{"minMember", spec.num_nodes}};
    set_if(group, "queue", policy.queue);
    set_if(group, "priorityClassName", policy.priority_class_name);
    return group;
  }
  if (is_coscheduling(pod_groups)) {
    json group = {{"minMember", spec.num_nodes}};
    if (policy.schedule_timeout_seconds) {
      group["scheduleTimeoutSeconds"] = *policy.schedule_timeout_seconds;
    }
    return group;
  }
  json group = {{"schedulingPolicy", {{"gang", {{"minCount", spec.num_nodes}}}}}};
  set_if(group, "priorityClassName", policy.priority_class_name);
  return group;
}

void join_pod_group(json& pod, const TrainingJob& job, const Platform& platform) {
  const std::optional<Resource> pod_groups = pod_groups_of(job.spec, platform);
  if (!pod_groups) return;
  if (is_volcano(*pod_groups)) {
    pod["metadata"]["annotations"]["scheduling.k8s.io/group-name"] = job.meta.name;
    if (scheduler_name(job.spec) == kDefaultScheduler) {
      pod["spec"]["schedulerName"] = kVolcanoScheduler;
    }
  } else if (is_coscheduling(*pod_groups)) {
    pod["metadata"]["labels"]["scheduling.x-k8s.io/pod-group"] = job.meta.name;
  } else {
    pod["spec"]["schedulingGroup"] = {{"podGroupName", job.meta.name}};
  }
}

std::string why_no_gang(const JobSpec& spec, const Platform& platform) {
  if (spec.scheduling.gang == Gang::kNone || pod_groups_of(spec, platform)) return "";
  return "schedulingPolicy.gang is " + std::string(gang_name(spec.scheduling.gang)) +
         ", but the operator found no such PodGroups when it started, so nodes are scheduled one "
         "by "
         "one: install the scheduler and set gangScheduling of the chart";
}

}  // namespace lockstep
