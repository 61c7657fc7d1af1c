// Reads spec.nodeGroups, or the one group that a spec without them means.
#include "operator/api/node_group.h"

#include <algorithm>
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

// It becomes the value of a label.
Result<std::string> read_name(const json& source) {
  const std::string name = TRY(strict::text(source, kWhere, "name"));
  const auto is_plain = [](char c) { return ('a' <= c && c <= 'z') || ('0' <= c && c <= '9'); };
  const bool is_valid =
      !name.empty() && name.size() <= 63 && is_plain(name.front()) && is_plain(name.back()) &&
      std::all_of(name.begin(), name.end(), [&](char c) { return is_plain(c) || c == '-'; });
  if (is_valid) return name;
  return refuse(kWhere + "name", name,
                "at most 63 lower-case letters, digits and -, the first and the last no -");
}

Result<json> read_node_selector(const json& source) {
  const json selector = TRY(strict::object(source, kWhere, "nodeSelector"));
  for (const auto& [label, value] : selector.items()) {
    if (!value.is_string()) {
      return refuse(kWhere + "nodeSelector[" + label + "]", value, "a string");
    }
  }
  return selector;
}

NodeGroup read_group(const json& source, const json& spec, Faults& faults) {
  const bool has_own_processes = !fields::member(source, "procPerNode").is_null();
  NodeGroup group;
  group.name = faults.take(read_name(source));
  group.num_nodes = faults.take(read_num_nodes(source, kWhere), 1);
  group.proc_per_node = faults.take(has_own_processes ? read_proc_per_node(source, kWhere)
                                                      : read_proc_per_node(spec, "spec."));
  group.resources = faults.take(strict::object(source, kWhere, "resourcesPerNode"));
  group.env = faults.take(strict::named_objects(source, kWhere, "env"));
  group.node_selector = faults.take(read_node_selector(source));
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
