// Names, reserved variables, claims, paths and ports.
#include "operator/api/rules.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "operator/api/fields.h"
#include "operator/api/names.h"
#include "operator/api/pod_rules.h"
#include "trainer/contract.h"

namespace lockstep {
namespace {

using nlohmann::json;

constexpr std::size_t kLongestLabel = 63;  // of a host name
constexpr std::array<std::string_view, 14> kReserved = {
    contract::kMasterAddr,     contract::kMasterPort, contract::kNnodes,       contract::kNodeRank,
    contract::kRank,           contract::kLocalRank,  contract::kNprocPerNode, contract::kWorldSize,
    contract::kLocalWorldSize, "PET_NNODES",          "PET_NODE_RANK",         "PET_NPROC_PER_NODE",
    "PET_MASTER_ADDR",         "PET_MASTER_PORT"};

tl::unexpected<Error> broken(const std::string& where, const std::string& sentence) {
  return failure(Kind::kInvalid, where + ": " + sentence);
}

bool is_alphanumeric(char c) { return ('a' <= c && c <= 'z') || ('0' <= c && c <= '9'); }

// Lower-case letters, digits and `between`, which may stand at neither end.
bool is_name(const std::string& text, std::string_view between) {
  return !text.empty() && is_alphanumeric(text.front()) && is_alphanumeric(text.back()) &&
         std::all_of(text.begin(), text.end(), [between](char c) {
           return is_alphanumeric(c) || between.find(c) != std::string_view::npos;
         });
}

Result<void> check_name(const std::string& name, int num_nodes) {
  if (!is_name(name, "-") || std::isdigit(static_cast<unsigned char>(name.front()))) {
    return broken("metadata.name",
                  "the name becomes a Service and host names, so write lower-case letters, digits "
                  "and '-', beginning with a letter, without dots");
  }
  const std::string last_pod = name + "-" + std::to_string(num_nodes - 1);
  if (last_pod.size() <= kLongestLabel) return {};
  return broken("metadata.name",
                "the name is too long for its pods, which are called <name>-<node rank>, so write "
                "at most 61 characters (60 from 11 nodes on, 59 from 101, 58 from 1001)");
}

bool is_reserved(const std::string& name) {
  if (name.starts_with("LOCKSTEP_")) return name != contract::kHangTimeout;
  return std::find(kReserved.begin(), kReserved.end(), name) != kReserved.end();
}

Result<void> check_variable(const std::string& where, const json& variable) {
  const std::string name = fields::text(variable, "name");
  if (name.find('=') != std::string::npos) return broken(where, "write the name without '='");
  if (variable.contains("value") && variable.contains("valueFrom")) {
    return broken(where, "write value or valueFrom, not both");
  }
  if (!is_reserved(name)) return {};
  return broken(where, name + " is set by the operator on every node, so remove it from env");
}

void check_environments(const JobSpec& spec, Faults& faults) {
  for (const json& variable : spec.env) faults.note(check_variable("spec.env", variable));
  for (const NodeGroup& group : spec.node_groups) {
    for (const json& variable : group.env) {
      faults.note(check_variable("spec.nodeGroups[].env", variable));
    }
  }
}

Result<void> check_checkpoint_dir(const JobSpec& spec) {
  if (!spec.checkpoints) return {};
  const auto sets_it = [](const json& env) {
    return std::any_of(env.begin(), env.end(), [](const json& variable) {
      return fields::text(variable, "name") == contract::kCheckpointDir;
    });
  };
  const bool is_set =
      sets_it(spec.env) || std::any_of(spec.node_groups.begin(), spec.node_groups.end(),
                                       [&](const NodeGroup& group) { return sets_it(group.env); });
  if (!is_set) return {};
  return broken("spec.env",
                "CHECKPOINT_DIR is set from checkpoints.path, so remove it from env or leave "
                "checkpoints out");
}

Result<void> check_image(const std::string& image) {
  if (image.find_first_of(" \t\n\v\f\r") == std::string::npos) return {};
  return broken("spec.image", "write the image without blanks");
}

Result<void> check_claim(const std::string& where, const std::string& name) {
  if (is_name(name, "-.")) return {};
  return broken(where,
                "write the name of a claim in the job's namespace, of lower-case letters, digits, "
                "'-' and '.'");
}

// Of mounts and checkpoints.
void check_claims(const JobSpec& spec, Faults& faults) {
  for (const Mount& mount : spec.mounts) {
    faults.note(check_claim("spec.mounts[].claimName", mount.claim_name));
  }
  if (!spec.checkpoints) return;
  faults.note(check_claim("spec.checkpoints.claimName", spec.checkpoints->claim_name));
}

Result<void> check_mounts_beside_checkpoints(const JobSpec& spec) {
  const bool is_free = !spec.checkpoints ||
                       std::none_of(spec.mounts.begin(), spec.mounts.end(), [&](const Mount& each) {
                         return each.path == spec.checkpoints->path;
                       });
  if (is_free) return {};
  return broken("spec.mounts",
                "checkpoints.path (/checkpoints when absent) belongs to the checkpoints, so mount "
                "something else elsewhere");
}

Result<void> check_path(const std::string& where, const std::string& path) {
  const bool is_clean = path.size() > 1 && path.starts_with('/') && !path.ends_with('/');
  if (is_clean && path.find(':') == std::string::npos) return {};
  return broken(
      where,
      "write an absolute path, such as /data, without a colon and without a slash at its end");
}

Result<void> check_sub_path(const std::string& folder) {
  const bool leads_upwards = ("/" + folder + "/").find("/../") != std::string::npos;
  if (!folder.starts_with('/') && !leads_upwards) return {};
  return broken("spec.checkpoints.subPath", "write a relative path without .., such as runs/7");
}

void check_paths(const JobSpec& spec, Faults& faults) {
  for (const Mount& mount : spec.mounts) faults.note(check_path("spec.mounts[].path", mount.path));
  if (!spec.checkpoints) return;
  faults.note(check_path("spec.checkpoints.path", spec.checkpoints->path));
  faults.note(check_sub_path(spec.checkpoints->sub_path));
}

Result<void> check_port(const JobSpec& spec) {
  if (spec.master_port != contract::kProgressPort) return {};
  return broken("spec.masterPort", "port 9790 serves the progress report, so write another");
}

// The definition cannot read labels, so only the operator says this.
Result<void> check_queue(const ObjectMeta& meta, const JobSpec& spec) {
  constexpr std::size_t kMostPodSets = 8;
  if (!meta.labels.contains(names::kQueueName) || spec.node_groups.size() <= kMostPodSets)
    return {};
  return broken("spec.nodeGroups",
                std::string("Kueue takes at most 8 groups of a job, so write fewer or remove the "
                            "label ") +
                    names::kQueueName);
}

}  // namespace

void check_rules(const ObjectMeta& meta, const JobSpec& spec, Faults& faults) {
  faults.note(check_name(meta.name, spec.num_nodes));
  faults.note(check_image(spec.image));
  check_environments(spec, faults);
  faults.note(check_checkpoint_dir(spec));
  check_claims(spec, faults);
  faults.note(check_mounts_beside_checkpoints(spec));
  check_paths(spec, faults);
  faults.note(check_port(spec));
  faults.note(check_queue(meta, spec));
  check_pod_rules(spec, faults);
}

}  // namespace lockstep
