// The list of --hosts: how it is read, which of its nodes this machine is, what each node runs.
#include "trainer/launch/hosts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>

namespace lockstep {
namespace {

using testing::AllOf;
using testing::HasSubstr;

using Addresses = std::vector<std::set<std::string>>;

const MachineNames kMachine = {"node7", {"127.0.0.1", "::1", "10.0.0.7", "fd00::7"}};

std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

std::string refusal_of(const std::string& list) {
  return refusal([&] { parse_hosts(list); });
}

int rank_in(const std::string& list, const Addresses& addresses) {
  return find_node_rank(parse_hosts(list), addresses, kMachine);
}

std::string refusal_in(const std::string& list, const Addresses& addresses) {
  return refusal([&] { rank_in(list, addresses); });
}

TEST(Hosts, AreNamesAndAddressesWithOrWithoutACount) {
  const struct {
    const char* item;
    const char* name;
    std::optional<int> processes;
  } cases[] = {
      {"a", "a", {}},
      {"b.example:4", "b.example", 4},
      {"10.0.0.3", "10.0.0.3", {}},
      {"10.0.0.3:1024", "10.0.0.3", 1024},
      {"fd00::2", "fd00::2", {}},
      {"[fd00::2]", "fd00::2", {}},
      {"[fd00::2]:8", "fd00::2", 8},
  };
  for (const auto& c : cases) {
    const auto hosts = parse_hosts(std::string("first,") + c.item);
    ASSERT_EQ(hosts.size(), 2) << c.item;
    EXPECT_EQ(hosts[1].name, c.name);
    EXPECT_EQ(hosts[1].processes, c.processes) << c.item;
  }
}

TEST(Hosts, AreRefusedWithOneSentence) {
  for (const char* list : {"", ",a", "a,", "a,,b", ":4", "[]:4"}) {
    EXPECT_THAT(refusal_of(list), HasSubstr("an empty name")) << list;
  }
  for (const char* list : {"a:0", "a:-1", "a:1025", "a:four", "a:", "[::1]:x"}) {
    EXPECT_THAT(refusal_of(list), HasSubstr("number of processes from 1 to 1024")) << list;
  }
  for (const char* list : {"[fd00::1]8", "[::1]a:4"}) {
    EXPECT_THAT(refusal_of(list), HasSubstr("goes on after its ]")) << list;
  }
  EXPECT_EQ(refusal_of("a,b:2,a:4"), "--hosts: a stands in the list twice");
}

TEST(NodeRank, IsThatOfTheNameWithAnAddressOfThisMachine) {
  const struct {
    const char* what;
    const char* list;
    Addresses addresses;
    int expected;
  } cases[] = {
      {"IPv4", "a,b", {{"10.0.0.1"}, {"10.0.0.7"}}, 1},
      {"IPv6", "a,b", {{"fd00::7"}, {"fd00::8"}}, 0},
      {"one of several", "a,b,c", {{"10.0.0.1"}, {"10.0.0.2"}, {"192.0.2.7", "fd00::7"}}, 2},
      {"the loopback address that Debian gives a host's own name",
       "a,b",
       {{"127.0.1.1"}, {"10.0.0.8"}},
       0},
      {"alone", "localhost", {{"127.0.0.1", "::1"}}, 0},
      {"a host name that resolves nowhere", "a,node7", {{}, {}}, 1},
      {"beside names that do not resolve", "a,b", {{}, {"10.0.0.7"}}, 1},
  };
  for (const auto& c : cases) EXPECT_EQ(rank_in(c.list, c.addresses), c.expected) << c.what;
}

TEST(NodeRank, IsRefusedWhenItIsNotClear) {
  EXPECT_THAT(refusal_in("a,b", {{"10.0.0.1"}, {}}),
              AllOf(HasSubstr("none is this machine, node7 with 10.0.0.7, 127.0.0.1"),
                    HasSubstr("no address found for b"), HasSubstr("give --node-rank")));
  EXPECT_THAT(refusal_in("localhost,b", {{"127.0.0.1"}, {"10.0.0.7"}}),
              HasSubstr("localhost, b are all this machine"));
  EXPECT_THAT(refusal_in("a,b", {{"fd00::7"}, {"10.0.0.7"}}), HasSubstr("a, b are all this"));
  EXPECT_THAT(refusal_in("a,b,c", {{"10.0.0.7"}, {"10.0.0.8"}, {"10.0.0.8", "10.0.0.9"}}),
              HasSubstr("b and c are the same machine (10.0.0.8)"));
  EXPECT_THAT(refusal_in("a,node7", {{}, {"10.0.0.9"}}), HasSubstr("none is this machine"))
      << "the name is known and leads elsewhere";
}

TEST(NodesOfHosts, CountRanksByPrefixSum) {
  const auto hosts = parse_hosts("a:3,b,c:4");
  const std::pair<const char*, const char*> expected[] = {{"0", "0"}, {"1", "3"}, {"2", "5"}};
  for (int rank = 0; rank < 3; ++rank) {
    const Environment node = place_among(hosts, rank, "2", {{"HOME", "/"}, {"NODE_RANK", "9"}});
    EXPECT_EQ(node, (Environment{{"HOME", "/"},
                                 {"NNODES", "3"},
                                 {"NODE_RANK", expected[rank].first},
                                 {"LOCKSTEP_RANK_OFFSET", expected[rank].second},
                                 {"WORLD_SIZE", "9"},
                                 {"MASTER_ADDR", "a"}}));
  }
}

TEST(NodesOfHosts, AreEqualWhereNoneHasACount) {
  const Environment old = {{"WORLD_SIZE", "8"}, {"LOCKSTEP_RANK_OFFSET", "4"}};
  EXPECT_EQ(place_among(parse_hosts("a,b"), 1, "auto", old),
            (Environment{{"NNODES", "2"}, {"NODE_RANK", "1"}, {"MASTER_ADDR", "a"}}));
}

TEST(NodesOfHosts, NeedEveryCountOrTheNumberOfTheOthers) {
  EXPECT_THAT(refusal([] { place_among(parse_hosts("a,b:4"), 1, "auto", {}); }),
              HasSubstr("how many processes does a run? Write a:N, or --nproc N"));
  EXPECT_THAT(refusal([] { place_among(parse_hosts("a,b"), 2, "auto", {}); }),
              HasSubstr("--node-rank 2 counts from 0, and the list has 2 nodes"));
}

}  // namespace
}  // namespace lockstep
