// Rank arithmetic.
#include "operator/plan/ranks.h"

#include <algorithm>
#include <charconv>

#include "operator/api/fields.h"
#include "operator/plan/trainer_container.h"

namespace lockstep {
namespace {

bool matches(std::string_view name, std::string_view pattern) {
  if (!pattern.ends_with('*')) return name == pattern;
  return name.starts_with(pattern.substr(0, pattern.size() - 1));
}

// Of devices, which are plain whole numbers: 8 or "8".
int whole_quantity(const nlohmann::json& quantity) {
  double count = 0;
  if (quantity.is_number()) {
    count = quantity.get<double>();
  } else if (quantity.is_string()) {
    const auto& text = quantity.get_ref<const std::string&>();
    std::from_chars(text.data(), text.data() + text.size(), count);
  }
  return static_cast<int>(std::clamp<double>(count, 0, kMaxProcPerNode));
}

}  // namespace

int count_accelerators(const nlohmann::json& container, const std::vector<std::string>& patterns) {
  const nlohmann::json& limits = fields::member(fields::member(container, "resources"), "limits");
  if (!limits.is_object()) return 0;
  int count = 0;
  for (const auto& [name, quantity] : limits.items()) {
    const bool is_accelerator =
        std::any_of(patterns.begin(), patterns.end(),
                    [&name = name](const std::string& pattern) { return matches(name, pattern); });
    if (is_accelerator) count += whole_quantity(quantity);
  }
  return count;
}

int Ranks::num_nodes() const {
  int nodes = 0;
  for (const Group& group : groups_) nodes += group.num_nodes;
  return nodes;
}

int Ranks::world_size() const { return offset(num_nodes()); }

int Ranks::processes(int node_rank) const { return offset(node_rank + 1) - offset(node_rank); }

int Ranks::offset(int node_rank) const {
  int offset = 0;
  for (const Group& group : groups_) {
    offset += std::min(node_rank, group.num_nodes) * group.proc_per_node;
    node_rank = std::max(0, node_rank - group.num_nodes);
  }
  return offset;
}

Ranks ranks_of(const JobSpec& spec, const std::vector<std::string>& accelerators) {
  std::vector<Ranks::Group> groups;
  for (const NodeGroup& group : spec.node_groups) {
    const int counted = count_accelerators(trainer_container(spec, group), accelerators);
    groups.push_back(
        {.num_nodes = group.num_nodes,
         .proc_per_node = group.proc_per_node.value_or(std::clamp(counted, 1, kMaxProcPerNode))});
  }
  return Ranks(std::move(groups));
}

const NodeGroup& group_of(const JobSpec& spec, int node_rank) {
  for (const NodeGroup& group : spec.node_groups) {
    if (node_rank < group.num_nodes) return group;
    node_rank -= group.num_nodes;
  }
  return spec.node_groups.back();
}

}  // namespace lockstep
