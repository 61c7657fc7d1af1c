// Reads spec.nodeGroups, or the one group that a spec without them means.
#include "operator/api/node_group.h"

#include <set>

#include "operator/api/fields.h"
#include "operator/api/strict.h"

namespace lockstep {
namespace {

using nlohmann::json;
using strict::refuse;

const std::string kWhere = "spec.nodeGroups[].";
constexpr std::size_t kMaxGroups = 32;

Result<std::optional<int>> read_proc_per_node(const json& source, const std::string& where) {
  const json& value = fields::member(source, "procPerNode");
  if (value.is_null() || value == "auto") return std::optional<int>();
  if (value.is_number_integer() && value >= 1 && value <= kMaxProcPerNode) return value.get<int>();
  return refuse(where + "procPerNode", value, "a whole number from 1 to 64, or auto");
}

Result<int> read_num_nodes(const json& source, const std::string& where) {
  return strict::integer(source, where, "numNodes", {1, kMaxNodes}, 1);
}

NodeGroup read_group(const json& source, const json& spec, Faults& faults) {
  const bool has_own_processes = !fields::member(source, "procPerNode").is_null();
  NodeGroup group;
  group.name = faults.take(strict::text(source, kWhere, "name"));
  group.num_nodes = faults.take(read_num_nodes(source, kWhere), 1);
  group.proc_per_node = faults.take(has_own_processes ? read_proc_per_node(source, kWhere)
                                                      : read_proc_per_node(spec, "spec."));
  group.resources = faults.take(strict::object(source, kWhere, "resourcesPerNode"));
  group.env = faults.take(strict::named_objects(source, kWhere, "env"));
  group.node_selector = faults.take(strict::object(source, kWhere, "nodeSelector"));
  group.tolerations = faults.take(strict::objects(source, kWhere, "tolerations"));
  group.affinity = faults.take(strict::object(source, kWhere, "affinity"));
  return group;
}

Result<void> check(const std::vector<NodeGroup>& groups, const json& source) {
  if (groups.size() > kMaxGroups) return refuse("spec.nodeGroups", source, "at most 32 groups");
  std::set<std::string> names;
  int nodes = 0;
  for (const NodeGroup& group : groups) {
    if (!names.insert(group.name).second) {
      return refuse("spec.nodeGroups[].name", group.name, "another name: it is taken");
    }
    nodes += group.num_nodes;
  }
  if (nodes <= kMaxNodes) return {};
  return refuse("spec.nodeGroups", nodes, "groups of at most 4096 nodes in all");
}

Result<void> check_is_absent(const json& num_nodes) {
  if (num_nodes.is_null()) return {};
  return failure(Kind::kInvalid,
                 "spec.numNodes: nodeGroups say how many nodes there are, so leave numNodes out");
}

}  // namespace

std::vector<NodeGroup> parse_node_groups(const json& spec, Faults& faults) {
  const json source = faults.take(strict::named_objects(spec, "spec.", "nodeGroups"));
  std::vector<NodeGroup> groups;
  for (const json& entry : source) groups.push_back(read_group(entry, spec, faults));
  faults.note(check(groups, source));
  if (!groups.empty()) {
    faults.note(check_is_absent(fields::member(spec, "numNodes")));
    return groups;
  }
  NodeGroup all;
  all.num_nodes = faults.take(read_num_nodes(spec, "spec."), 1);
  all.proc_per_node = faults.take(read_proc_per_node(spec, "spec."));
  return {all};
}

}  // namespace lockstep
