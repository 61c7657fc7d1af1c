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

Result<NodeGroup> read_group(const json& source, const json& spec) {
  const bool has_own_processes = !fields::member(source, "procPerNode").is_null();
  NodeGroup group;
  group.name = TRY(strict::text(source, kWhere, "name"));
  group.num_nodes = TRY(read_num_nodes(source, kWhere));
  group.proc_per_node = TRY(has_own_processes ? read_proc_per_node(source, kWhere)
                                              : read_proc_per_node(spec, "spec."));
  group.resources = TRY(strict::object(source, kWhere, "resourcesPerNode"));
  group.env = TRY(strict::named_objects(source, kWhere, "env"));
  group.node_selector = TRY(strict::object(source, kWhere, "nodeSelector"));
  group.tolerations = TRY(strict::objects(source, kWhere, "tolerations"));
  group.affinity = TRY(strict::object(source, kWhere, "affinity"));
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

}  // namespace

Result<std::vector<NodeGroup>> parse_node_groups(const json& spec) {
  const json source = TRY(strict::named_objects(spec, "spec.", "nodeGroups"));
  std::vector<NodeGroup> groups;
  for (const json& entry : source) groups.push_back(TRY(read_group(entry, spec)));
  TRY(check(groups, source));
  const json& num_nodes = fields::member(spec, "numNodes");
  if (!groups.empty() && !num_nodes.is_null()) {
    return failure(Kind::kInvalid,
                   "spec.numNodes: nodeGroups say how many nodes there are, so leave numNodes out");
  }
  if (!groups.empty()) return groups;
  NodeGroup all;
  all.num_nodes = TRY(read_num_nodes(spec, "spec."));
  all.proc_per_node = TRY(read_proc_per_node(spec, "spec."));
  return std::vector<NodeGroup>{all};
}

}  // namespace lockstep
