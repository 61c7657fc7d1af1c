// Events from conditions and from a job's spec.
#include "operator/plan/events.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "operator/api/fields.h"
#include "operator/api/names.h"
#include "operator/plan/desired_pod.h"
#include "operator/plan/environment.h"
#include "operator/plan/trainer_container.h"

namespace lockstep {
namespace {

using nlohmann::json;

// torchrun by its module.
constexpr std::array<std::string_view, 2> kTorchrun = {"-m", "torch.distributed.run"};

bool says_something_new(const Condition& condition, const Condition* before) {
  const bool is_told_by_its_restart = condition.type == names::kStalled;
  const bool is_worth_telling =
      (condition.status && !is_told_by_its_restart) ||
      (condition.type == names::kSuspended && before != nullptr) ||
      (condition.type == names::kPodsCreated && condition.reason == names::kCreateRefused) ||
      condition.reason == names::kNoPodGroups;
  const bool is_same = before && before->status == condition.status &&
                       before->reason == condition.reason && before->message == condition.message;
  return is_worth_telling && !is_same;
}

bool is_bad_news(const Condition& condition) {
  for (const char* type :
       {names::kFailed, names::kInvalid, names::kNameConflict, names::kRestarting}) {
    if (condition.type == type) return true;
  }
  return (condition.type == names::kPodsCreated || condition.type == names::kGangScheduled) &&
         !condition.status;
}

// Names that a container of the template sets although the operator does.
std::set<std::string> shadowed_names(const TrainingJob& job, const Platform& platform) {
  std::set<std::string> reserved, shadowed;
  const Ranks ranks = ranks_of(job.spec, platform.accelerators);
  for (const json& variable : environment(job, ranks, 0, 60)) reserved.insert(variable["name"]);
  const json& pod = fields::member(job.spec.pod_template, "spec");
  for (const char* kind : {"initContainers", "containers"}) {
    for (const json& container : fields::list(pod, kind)) {
      for (const json& variable : fields::list(container, "env")) {
        const std::string name = fields::text(variable, "name");
        if (reserved.contains(name)) shadowed.insert(name);
      }
    }
  }
  return shadowed;
}

// The template's containers when none of them is the trainer and no shorthand says what it runs.
std::string containers_beside_a_default_trainer(const TrainingJob& job) {
  if (!uses_our_image(job.spec)) return "";
  std::string others;
  for (const json& container :
       fields::list(fields::member(job.spec.pod_template, "spec"), "containers")) {
    const std::string name = fields::text(container, "name");
    if (name == names::kTrainerContainer) return "";
    others += (others.empty() ? "" : ", ") + name;
  }
  return others;
}

// procPerNode is auto, and there is nothing to count.
bool has_nothing_to_count(const JobSpec& spec, const Platform& platform) {
  return std::any_of(spec.node_groups.begin(), spec.node_groups.end(), [&](const NodeGroup& group) {
    const json trainer = trainer_container(spec, group);
    return !group.proc_per_node && count_accelerators(trainer, platform.accelerators) == 0;
  });
}

// Labels of the template that its pods get with another value.
std::vector<std::string> replaced_labels(const TrainingJob& job, const Platform& platform) {
  const json& metadata = fields::member(job.spec.pod_template, "metadata");
  const json pod = desired_pod(job, 0, platform);
  std::vector<std::string> replaced;
  for (const auto& [name, value] : fields::text_map(metadata, "labels")) {
    if (pod["metadata"]["labels"][name] != value) replaced.push_back(name);
  }
  return replaced;
}

// Under an injected launcher each rank would then start ranks of its own.
bool starts_torchrun(const JobSpec& spec) {
  const json trainer = trainer_container(spec, spec.node_groups.front());
  std::vector<std::string> words;
  for (const char* kind : {"command", "args"}) {
    for (const json& word : fields::list(trainer, kind)) {
      words.push_back(word.is_string() ? word.get<std::string>() : "");
    }
  }
  const auto module = std::search(words.begin(), words.end(), kTorchrun.begin(), kTorchrun.end());
  std::string program = words.empty() ? "" : words.front();
  program.erase(0, program.rfind('/') + 1);
  return program == "torchrun" || module != words.end();
}

}  // namespace

std::vector<Event> news(const JobStatus& before, const JobStatus& after) {
  std::vector<Event> events;
  for (const Condition& condition : after.conditions) {
    if (!says_something_new(condition, before.condition(condition.type))) continue;
    events.push_back({.is_warning = is_bad_news(condition),
                      .reason = condition.reason,
                      .message = condition.message});
  }
  return events;
}

std::vector<Event> warnings_about(const TrainingJob& job, const Platform& platform) {
  std::vector<Event> events;
  if (uses_our_image(job.spec) && !job.spec.checkpoints) {
    events.push_back({.is_warning = true,
                      .reason = names::kNoCheckpoints,
                      .message = "spec.checkpoints is not set: the model ends with its pods, and "
                                 "a restart begins from nothing"});
  }
  if (has_nothing_to_count(job.spec, platform)) {
    events.push_back({.is_warning = false,
                      .reason = names::kNoAccelerators,
                      .message = "the limits of the trainer container name no accelerator, so "
                                 "each node runs one process: set procPerNode to run more"});
  }
  if (const std::string others = containers_beside_a_default_trainer(job); !others.empty()) {
    events.push_back({.is_warning = true,
                      .reason = names::kNoTrainerContainer,
                      .message = "the template has no container called trainer, so one is added "
                                 "beside " +
                                 others + ": call it trainer if it is the one that trains"});
  }
  if (job.spec.injects_launcher && starts_torchrun(job.spec)) {
    events.push_back({.is_warning = true,
                      .reason = names::kTwoLaunchers,
                      .message =
                          "launcher Inject starts each rank, and so does torchrun: write the "
                          "program itself as the command, or leave launcher out"});
  }
  for (const std::string& name : shadowed_names(job, platform)) {
    events.push_back({.is_warning = true,
                      .reason = names::kReservedEnvironment,
                      .message = "the template sets " + name +
                                 ", which the operator sets on every node: its own value is used"});
  }
  for (const std::string& name : replaced_labels(job, platform)) {
    events.push_back({.is_warning = true,
                      .reason = names::kReservedLabel,
                      .message = "the template sets the label " + name +
                                 ", which the operator sets on every pod: its own value is used"});
  }
  return events;
}

}  // namespace lockstep
