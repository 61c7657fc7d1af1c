// Why pods are not placed, do not start, or do not end. What several pods share is said once.
#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "operator/api/core.h"
#include "operator/api/fields.h"
#include "operator/api/names.h"
#include "operator/plugin/doctor.h"
#include "operator/plugin/pods.h"
#include "operator/plugin/words.h"

namespace lockstep {
namespace {

using nlohmann::json;

constexpr std::size_t kMostNamed = 5;
constexpr std::chrono::seconds kPatience{60};  // for what may take a moment

struct Hint {
  std::string_view words;
  const char* advice;
};

// What helps against the scheduler's words.
constexpr std::array kSchedulerHints = {
    Hint{"persistentvolumeclaim", "create or bind the claim that it names"},
    Hint{"free ports",
         "another pod of the host network holds the port on every machine that fits: leave "
         "spec.masterPort out, so that the operator chooses one, or end the other pod"},
    Hint{"no nodes available", "the cluster has no machine: add one"},
    Hint{"Insufficient",
         "too few machines have that much free: ask for less in spec.resourcesPerNode, end other "
         "work or add machines (kubectl describe nodes shows what is allocated)"},
    Hint{"untolerated taint",
         "tolerate the taint in spec.template.spec.tolerations, or take it off the machines"},
    Hint{"node affinity/selector",
         "no machine has the labels that spec.template.spec.nodeSelector or affinity ask for: see "
         "kubectl get nodes --show-labels"},
    Hint{"unschedulable", "the machines are cordoned: kubectl uncordon NODE"},
    Hint{"Too many pods", "the machines hold as many pods as they may: add machines"},
    Hint{"", "change what the scheduler names, or add machines that fit"}};

// What helps against the kubelet's reasons.
constexpr std::array kKubeletHints = {
    Hint{"ImagePullBackOff",
         "see that the image exists under exactly that name, that the machines "
         "reach its registry, and that spec.template.spec.imagePullSecrets "
         "name its credentials"},
    Hint{"ErrImagePull",
         "see that the image exists under exactly that name, that the machines "
         "reach its registry, and that spec.template.spec.imagePullSecrets name "
         "its credentials"},
    Hint{"ErrImageNeverPull", "load the image onto the machines, or let imagePullPolicy pull it"},
    Hint{"InvalidImageName", "write the image as registry/name:tag in spec.image"},
    Hint{"CreateContainerConfigError",
         "create the Secret or ConfigMap that it names, or take it out of env"},
    Hint{"CrashLoopBackOff", "this container ends again and again: kubectl logs POD -c CONTAINER"},
    Hint{"", "kubectl describe pod POD shows the kubelet's events"}};

template <std::size_t N>
std::string advice_for(const std::array<Hint, N>& hints, const std::string& words) {
  for (const Hint& hint : hints) {
    if (words.find(hint.words) != std::string::npos) return hint.advice;
  }
  return "";
}

// Several pods in the same trouble are one finding.
struct Trouble {
  std::string wrong;  // "no machine fits"
  std::string evidence;
  std::string advice;
  auto operator<=>(const Trouble&) const = default;
};
using Troubles = std::map<Trouble, std::vector<int>>;

std::string nodes_named(const std::vector<int>& nodes) {
  std::string text = nodes.size() == 1 ? "node " : "nodes ";
  for (std::size_t i = 0; i < std::min(nodes.size(), kMostNamed); ++i) {
    text += (i ? ", " : "") + std::to_string(nodes[i]);
  }
  if (nodes.size() <= kMostNamed) return text;
  return text + " and " + std::to_string(nodes.size() - kMostNamed) + " more";
}

const PodCondition* unscheduled(const Pod& pod) {
  for (const PodCondition& condition : pod.conditions) {
    if (condition.type == "PodScheduled" && !condition.status) return &condition;
  }
  return nullptr;
}

std::string image_of(const json& pod, const std::string& container) {
  for (const char* kind : {"containers", "initContainers"}) {
    for (const json& each : fields::list(fields::member(pod, "spec"), kind)) {
      if (fields::text(each, "name") == container) return fields::text(each, "image");
    }
  }
  return "";
}

bool is_usual_wait(const std::string& reason) {
  return reason.empty() || reason == "ContainerCreating" || reason == "PodInitializing";
}

// The last warning about a pod that takes long to start: volumes and networks are told there only.
std::string last_warning(const Evidence& seen, const ObjectMeta& pod) {
  std::string words;
  for (const json& event : seen.events) {
    const json& about = fields::member(event, "involvedObject");
    if (fields::text(about, "uid") != pod.uid || fields::text(event, "type") != "Warning") continue;
    words = fields::text(event, "reason") + ": " + fields::text(event, "message");
  }
  return words;
}

std::optional<Trouble> trouble_with_scheduling(const Evidence& seen, const Pod& pod, Time now) {
  if (!pod.node_name.empty()) return std::nullopt;
  const PodCondition* why = unscheduled(pod);
  if (why && why->reason == "SchedulingGated") {
    return Trouble{"a scheduling gate holds the pod", why->message,
                   "whoever set the gate opens it: usually Kueue, once a place is found"};
  }
  // The claims themselves are examined elsewhere, when they can be read.
  const bool is_about_claim =
      why && (why->message.find("persistentvolumeclaim") != std::string::npos ||
              why->message.find("PersistentVolumeClaim") != std::string::npos);
  if (is_about_claim && seen.claims) return std::nullopt;
  if (why) {
    return Trouble{"no machine fits", "scheduler: " + why->message,
                   advice_for(kSchedulerHints, why->message)};
  }
  if (now - pod.meta.creation_time.value_or(now) < kPatience) return std::nullopt;
  return Trouble{"no scheduler looks at the pod",
                 "no condition PodScheduled after " + age_text(pod.meta.creation_time, now),
                 "see whether the scheduler named in spec.template.spec.schedulerName runs"};
}

std::optional<Trouble> trouble_with_containers(const Evidence& seen, const json& object,
                                               const Pod& pod, Time now) {
  for (const auto* containers : {&pod.init_containers, &pod.containers}) {
    for (const ContainerState& container : *containers) {
      if (is_usual_wait(container.waiting_reason)) continue;
      return Trouble{"the container does not start (" + container.waiting_reason + ")",
                     "container " + container.name + ", image " + image_of(object, container.name) +
                         ": " + container.waiting_message,
                     advice_for(kKubeletHints, container.waiting_reason)};
    }
  }
  const bool is_late = now - pod.meta.creation_time.value_or(now) > kPatience;
  const std::string warning = is_late && !pod.node_name.empty() && pod.phase == "Pending"
                                  ? last_warning(seen, pod.meta)
                                  : "";
  if (warning.empty()) return std::nullopt;
  return Trouble{"the pod takes long to start", warning, advice_for(kKubeletHints, "")};
}

const json* machine_of(const Evidence& seen, const Pod& pod) {
  if (!seen.machines || pod.node_name.empty()) return nullptr;
  for (const json& machine : *seen.machines) {
    if (fields::text(fields::member(machine, "metadata"), "name") == pod.node_name) return &machine;
  }
  return nullptr;
}

std::optional<Trouble> trouble_with_machine(const Evidence& seen, const Pod& pod) {
  const json* machine = machine_of(seen, pod);
  if (!machine) return std::nullopt;
  for (const json& condition : fields::list(fields::member(*machine, "status"), "conditions")) {
    const std::string type = fields::text(condition, "type");
    const bool is_true = fields::text(condition, "status") == "True";
    const bool is_bad = type == "Ready" ? !is_true : is_true && type.ends_with("Pressure");
    if (!is_bad) continue;
    return Trouble{"the machine is in trouble",
                   "machine " + pod.node_name + ": " + type + " is " +
                       fields::text(condition, "status") + ", " +
                       fields::text(condition, "message"),
                   "kubectl describe node " + pod.node_name +
                       "; if it stays away, its pods are replaced on other machines"};
  }
  return std::nullopt;
}

// Past its grace period a pod should be gone.
std::optional<Trouble> trouble_with_ending(const Pod& pod, Time now) {
  if (!pod.meta.deletion_time || *pod.meta.deletion_time > now) return std::nullopt;
  return Trouble{"a pod of an earlier attempt does not end, and the next attempt waits for it",
                 "pod " + pod.meta.name + " on machine " + pod.node_name +
                     " should have been gone " + age_text(pod.meta.deletion_time, now) + " ago",
                 "see whether that machine is Ready; after runPolicy.podTerminationTimeoutSeconds "
                 "the operator deletes the pod without waiting"};
}

}  // namespace

void examine_pods(const Evidence& seen, Time now, Findings& findings) {
  if (seen.job.status.is_finished()) return;
  Troubles troubles;
  const auto note = [&](const json& object, const std::optional<Trouble>& trouble) {
    if (trouble) troubles[*trouble].push_back(node_rank(object));
  };
  for (const json& object : seen.earlier_pods) {
    if (const auto pod = parse_pod(object)) note(object, trouble_with_ending(*pod, now));
  }
  for (const json& object : seen.pods) {
    const auto pod = parse_pod(object);
    if (!pod) continue;
    note(object, trouble_with_scheduling(seen, *pod, now));
    note(object, trouble_with_containers(seen, object, *pod, now));
    note(object, trouble_with_machine(seen, *pod));
  }
  for (const auto& [trouble, nodes] : troubles) {
    findings.push_back(
        {nodes_named(nodes) + ": " + trouble.wrong, trouble.evidence, trouble.advice});
  }
}

}  // namespace lockstep
