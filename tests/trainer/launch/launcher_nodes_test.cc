// Nodes without an operator: two launchers with the same list.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/trainer/launch/launched.h"

namespace lockstep::test {
namespace {

using testing::HasSubstr;

constexpr char kTell[] =
    "echo $RANK/$WORLD_SIZE $LOCAL_RANK/$LOCAL_WORLD_SIZE $GROUP_RANK/$GROUP_WORLD_SIZE "
    "$MASTER_ADDR:$MASTER_PORT";

// Of TEST-NET-2, RFC 5737: no machine has it.
constexpr char kElsewhere[] = "198.51.100.7";

std::vector<std::string> on(const std::vector<std::string>& flags) {
  std::vector<std::string> arguments = flags;
  arguments.insert(arguments.end(), {"--", "sh", "-c", kTell});
  return arguments;
}

TEST(LauncherNodes, OfUnequalSizeNumberTheirRanksThrough) {
  Launched first(on({"--hosts=127.0.0.1:2,127.0.0.2:1", "--node-rank=0"}));
  Launched second(on({"--hosts=127.0.0.1:2,127.0.0.2:1", "--node-rank=1"}));
  EXPECT_EQ(first.wait(), 0);
  EXPECT_EQ(second.wait(), 0);
  EXPECT_THAT(first.output(), HasSubstr("[rank 0] 0/3 0/2 0/2 127.0.0.1:29500\n"));
  EXPECT_THAT(first.output(), HasSubstr("[rank 1] 1/3 1/2 0/2 127.0.0.1:29500\n"));
  EXPECT_THAT(second.output(), HasSubstr("[rank 2] 2/3 0/1 1/2 127.0.0.1:29500\n"));
}

TEST(LauncherNodes, FindTheirOwnRank) {
  const std::string elsewhere = kElsewhere;
  const struct {
    std::string hosts;
    std::string words;
  } cases[] = {
      {"127.0.0.1," + elsewhere, "[rank 0] 0/2 0/1 0/2 127.0.0.1:29500\n"},
      {elsewhere + ",localhost", "[rank 1] 1/2 0/1 1/2 198.51.100.7:29500\n"},
      {elsewhere + ":8,[::1]:1", "[rank 8] 8/9 0/1 1/2 198.51.100.7:29500\n"},
  };
  for (const auto& c : cases) {
    Launched launched(on({"--nproc=1", "--hosts", c.hosts, "--node-rank=auto"}),
                      {{"NNODES", "7"}, {"WORLD_SIZE", "9"}, {"LOCKSTEP_RANK_OFFSET", "3"}});
    EXPECT_EQ(launched.wait(), 0);
    EXPECT_THAT(launched.output(), HasSubstr(c.words)) << c.hosts;
  }
}

TEST(LauncherNodes, AreRefusedWithOneSentenceWhenTheirRankIsNotClear) {
  for (const char* hosts : {"127.0.0.1,localhost", "198.51.100.7", "198.51.100.7,198.51.100.7"}) {
    Launched launched(on({"--nproc=1", "--hosts", hosts}));
    EXPECT_EQ(launched.wait(), 64) << hosts;
    EXPECT_THAT(launched.output(), testing::StartsWith("lockstep-launch: --hosts: "));
    EXPECT_EQ(std::count(launched.output().begin(), launched.output().end(), '\n'), 1);
  }
}

TEST(LauncherNodes, AreThoseOfTorchrunsFlags) {
  Launched launched(on({"--nproc_per_node=1", "--nnodes=2", "--node_rank=1", "--master_addr=head",
                        "--master_port=3000"}));
  EXPECT_EQ(launched.wait(), 0);
  EXPECT_THAT(launched.output(), HasSubstr("[rank 1] 1/2 0/1 1/2 head:3000\n"));
}

}  // namespace
}  // namespace lockstep::test
