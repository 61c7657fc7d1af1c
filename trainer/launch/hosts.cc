// The list of --hosts; see hosts.h.
#include "trainer/launch/hosts.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <string_view>

#include "trainer/contract.h"

namespace lockstep {
namespace {

[[noreturn]] void refuse(const std::string& sentence) {
  throw std::invalid_argument("--hosts: " + sentence);
}

std::optional<int> count_of(std::string_view text) {
  int count = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, count);
  const bool is_count = error == std::errc() && stop == end && count >= 1 && count <= 1024;
  return is_count ? std::optional(count) : std::nullopt;
}

// An IPv6 address has colons of its own; with a count it stands in brackets.
Host parse_host(const std::string& item) {
  const std::size_t bracket = item.starts_with('[') ? item.find(']') : std::string::npos;
  if (bracket == std::string::npos && std::count(item.begin(), item.end(), ':') > 1)
    return {item, {}};
  const std::size_t colon = item.find(':', bracket == std::string::npos ? 0 : bracket);
  std::string name = item.substr(0, colon);
  if (bracket != std::string::npos) name = item.substr(1, bracket - 1);
  if (name.empty()) refuse("there is an empty name in the list");
  const bool is_followed =
      bracket != std::string::npos && bracket + 1 < item.size() && item[bracket + 1] != ':';
  if (is_followed) refuse("'" + item + "' goes on after its ]: write [ADDRESS]:N or [ADDRESS]");
  if (colon == std::string::npos) return {name, {}};
  const auto count = count_of(std::string_view(item).substr(colon + 1));
  if (!count) refuse("'" + item + "' does not end in a number of processes from 1 to 1024");
  return {name, count};
}

// Every address of 127.0.0.0/8 is this machine, and only some of them are on an interface.
bool is_here(const std::string& address, const MachineNames& machine) {
  return address.starts_with("127.") || machine.addresses.contains(address);
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

int processes_of(const Host& host, const std::string& nproc) {
  if (const auto count = host.processes ? host.processes : count_of(nproc)) return *count;
  refuse("how many processes does " + host.name + " run? Write " + host.name +
         ":N, or --nproc N for all without a number: they cannot be counted from here");
}

void check_distinct(const std::vector<Host>& hosts,
                    const std::vector<std::set<std::string>>& addresses) {
  for (std::size_t a = 0; a < hosts.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const auto shared = std::find_if(addresses[a].begin(), addresses[a].end(),
                                       [&](auto& each) { return addresses[b].contains(each); });
      if (shared == addresses[a].end()) continue;
      refuse(hosts[b].name + " and " + hosts[a].name + " are the same machine (" + *shared +
             "): name each node once");
    }
  }
}

}  // namespace

std::vector<Host> parse_hosts(const std::string& list) {
  std::vector<Host> hosts;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    hosts.push_back(parse_host(list.substr(begin, end - begin)));
    begin = end + 1;
    const auto is_same = [&](const Host& host) { return host.name == hosts.back().name; };
    if (std::count_if(hosts.begin(), hosts.end(), is_same) > 1) {
      refuse(hosts.back().name + " stands in the list twice");
    }
  }
  return hosts;
}

int find_node_rank(const std::vector<Host>& hosts,
                   const std::vector<std::set<std::string>>& addresses,
                   const MachineNames& machine) {
  std::vector<std::string> here, unresolved;
  int rank = 0;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const bool has_address = std::any_of(addresses[i].begin(), addresses[i].end(),
                                         [&](auto& each) { return is_here(each, machine); });
    const bool has_name = addresses[i].empty() && hosts[i].name == machine.host_name;
    if (addresses[i].empty() && !has_name) unresolved.push_back(hosts[i].name);
    if (!has_address && !has_name) continue;
    here.push_back(hosts[i].name);
    rank = static_cast<int>(i);
  }
  if (here.size() > 1) {
    refuse(joined(here) + " are all this machine: name each node once, or give --node-rank");
  }
  if (here.empty()) {
    const std::vector<std::string> own(machine.addresses.begin(), machine.addresses.end());
    refuse("none is this machine, " + machine.host_name + " with " + joined(own) +
           (unresolved.empty() ? "" : " (no address found for " + joined(unresolved) + ")") +
           "; give --node-rank");
  }
  check_distinct(hosts, addresses);
  return rank;
}

Environment place_among(const std::vector<Host>& hosts, int node_rank, const std::string& nproc,
                        Environment node) {
  using namespace contract;
  if (node_rank >= static_cast<int>(hosts.size())) {
    refuse("--node-rank " + std::to_string(node_rank) + " counts from 0, and the list has " +
           std::to_string(hosts.size()) + " nodes");
  }
  node[kNnodes] = std::to_string(hosts.size());
  node[kNodeRank] = std::to_string(node_rank);
  node[kMasterAddr] = hosts.front().name;
  node.erase(kWorldSize);
  node.erase(kRankOffset);
  const auto has_count = [](const Host& host) { return host.processes.has_value(); };
  if (std::none_of(hosts.begin(), hosts.end(), has_count)) return node;
  int world_size = 0;
  for (int rank = 0; rank < static_cast<int>(hosts.size()); ++rank) {
    if (rank == node_rank) node[kRankOffset] = std::to_string(world_size);
    world_size += processes_of(hosts[rank], nproc);
  }
  node[kWorldSize] = std::to_string(world_size);
  return node;
}

}  // namespace lockstep
