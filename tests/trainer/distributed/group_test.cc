// Groups of real processes over loopback Gloo.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/trainer/distributed/ranks.h"

namespace lockstep::testing {
namespace {

using ::testing::HasSubstr;

const std::string kProgram = LOCKSTEP_SCENARIOS;

void expect_all_finish(const std::string& scenario, int size) {
  for (const Exit& exit : run_ranks({kProgram, scenario}, size)) {
    EXPECT_EQ(exit.code, 0) << scenario << " of " << size << ": " << exit.output;
    if (!exit.output.empty())
      std::printf("%s, %d ranks: %s", scenario.c_str(), size, exit.output.c_str());
  }
}

class GroupOf : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Ranks, GroupOf, ::testing::Values(2, 3, 4),
                         [](const auto& info) { return std::to_string(info.param); });

TEST_P(GroupOf, ReducesAndBroadcasts) { expect_all_finish("collectives", GetParam()); }
TEST_P(GroupOf, HearsAVoteAtTheSameCall) { expect_all_finish("votes", GetParam()); }
TEST_P(GroupOf, AveragesGradientsAsFlatBucketsDo) { expect_all_finish("oracle", GetParam()); }
TEST_P(GroupOf, SharesTheBuffersOfRankZero) { expect_all_finish("buffers", GetParam()); }

TEST_P(GroupOf, TakesSeveralPassesBeforeABackwardPass) {
  expect_all_finish("two_passes", GetParam());
}

TEST(Group, KnowsWhoWaitsForWhom) { expect_all_finish("waits", 2); }

TEST_P(GroupOf, AccumulatesGradients) { expect_all_finish("accumulation", GetParam()); }
TEST_P(GroupOf, SendsGradientsInHalfTheBits) { expect_all_finish("compression", GetParam()); }

TEST(Ddp, TakesAStaticGraph) { expect_all_finish("static_graph", 2); }
TEST(Ddp, FindsUnusedParametersWhenAsked) { expect_all_finish("unused_found", 2); }
TEST(Ddp, KeepsNoMemoryOfItsSteps) { expect_all_finish("steady_memory", 2); }

TEST(Ddp, NamesParametersThatAStepDidNotUse) {
  for (const Exit& exit : run_ranks({kProgram, "unused"}, 2)) {
    EXPECT_EQ(exit.code, 64) << exit.output;
    EXPECT_THAT(exit.output, HasSubstr("the last step did not use sometimes.weight, "
                                       "sometimes.bias: write ddp.find_unused: true"));
  }
}

TEST(Ddp, NamesTheRankAndTheParameterThatDiffer) {
  for (const Exit& exit : run_ranks({kProgram, "unequal_models"}, 3)) {
    EXPECT_EQ(exit.code, 64) << exit.output;
    EXPECT_THAT(exit.output, HasSubstr("layers.0.weight Float [9, 784]"));
  }
}

TEST(Weights, ThatDifferInOneBitAreNamed) {
  for (const Exit& exit : run_ranks({kProgram, "one_bit"}, 3)) {
    EXPECT_EQ(exit.code, 1) << exit.output;
    EXPECT_THAT(exit.output,
                HasSubstr("after step 2 rank 2 holds another layers.2.weight than rank 0"));
  }
}

TEST(Group, KnowsALostPeerInACollective) {
  const auto exits = run_ranks({kProgram, "lost_in_all_reduce"}, 3);
  EXPECT_EQ(exits[0].code, 75) << exits[0].output;
  EXPECT_EQ(exits[2].code, 75) << exits[2].output;
  EXPECT_TRUE(exits[0].output.starts_with("lost another rank: ")) << exits[0].output;
  EXPECT_THAT(exits[0].output, ::testing::Not(HasSubstr("pair.cc")));
}

TEST(Group, KnowsALostPeerInABackwardPass) {
  const auto exits = run_ranks({kProgram, "lost_in_backward"}, 3);
  EXPECT_EQ(exits[0].code, 75) << exits[0].output;
  EXPECT_EQ(exits[2].code, 75) << exits[2].output;
}

TEST(Group, NamesTheRankThatDoesNotCome) {
  Ranks ranks({kProgram, "last_stays_away"}, 3);
  for (const std::size_t rank : {0, 1}) ASSERT_TRUE(ranks.has_said(rank, "did not come"));
  ranks.send(2, SIGKILL);
  const auto exits = ranks.wait();
  for (const std::size_t rank : {0, 1}) {
    EXPECT_EQ(exits[rank].code, 75);
    EXPECT_EQ(exits[rank].output, "rank 2 did not come to step 17 within 1 s\n");
  }
}

TEST(Group, NamesTheRankThatWaitsElsewhere) {
  const auto exits = run_ranks({kProgram, "last_is_elsewhere"}, 3);
  EXPECT_EQ(exits[0].code, 75);
  EXPECT_EQ(exits[0].output, "rank 2 waits in the evaluation and rank 0 in step 17, for 1 s\n");
}

// A rank 0 that stands still keeps the store from answering too.
TEST(Group, NamesARankZeroThatStandsStill) {
  Ranks ranks({kProgram, "first_stands_still"}, 2);
  ASSERT_TRUE(ranks.has_said(0, "ready"));
  ranks.send(0, SIGSTOP);
  ASSERT_TRUE(ranks.has_said(1, "did not come"));
  ranks.send(0, SIGKILL);
  const auto exits = ranks.wait();
  EXPECT_EQ(exits[1].code, 75);
  EXPECT_EQ(exits[1].output, "rank 0 did not come to step 17 within 1 s\n");
}

Variables place(int rank, int size, Variables more = {}) {
  more.insert({{"RANK", std::to_string(rank)}, {"WORLD_SIZE", std::to_string(size)}});
  return more;
}

TEST(Rendezvous, WaitsForARankZeroThatComesLast) {
  Ranks ranks({}, 0);
  ranks.start({kProgram, "nothing"}, place(1, 2));
  ranks.start({kProgram, "nothing"}, place(0, 2));
  for (const Exit& exit : ranks.wait()) EXPECT_EQ(exit.code, 0) << exit.output;
}

TEST(Rendezvous, NamesTheRankThatDoesNotCome) {
  Ranks ranks({}, 0);
  const Variables soon{{"LOCKSTEP_STARTUP_SECONDS", "1"}};
  ranks.start({kProgram, "nothing"}, place(0, 3, soon));
  ranks.start({kProgram, "nothing"}, place(1, 3, soon));
  const auto exits = ranks.wait();
  EXPECT_EQ(exits[0].code, 75);
  EXPECT_THAT(exits[0].output, HasSubstr("rank 2 has not arrived within 1 s"));
  EXPECT_EQ(exits[1].code, 75);
}

TEST(Rendezvous, SaysWhyRankZeroCannotBeReached) {
  Ranks ranks({}, 0);
  const Variables soon{{"LOCKSTEP_STARTUP_SECONDS", "1"}};
  ranks.start({kProgram, "nothing"}, place(1, 2, soon));
  Variables unknown = soon;
  unknown["MASTER_ADDR"] = "no-such-host.invalid";
  ranks.start({kProgram, "nothing"}, place(1, 2, unknown));
  const auto exits = ranks.wait();
  EXPECT_EQ(exits[0].code, 75);
  EXPECT_THAT(exits[0].output, HasSubstr("rank 1 cannot reach rank 0 at 127.0.0.1:"));
  EXPECT_THAT(exits[0].output, HasSubstr("Connection refused (tried for 1 s)"));
  EXPECT_EQ(exits[1].code, 75);
  EXPECT_THAT(exits[1].output, HasSubstr("the name does not resolve"));
}

TEST(Rendezvous, RefusesDifferentWorldSizes) {
  Ranks ranks({}, 0);
  ranks.start({kProgram, "nothing"}, place(0, 2));
  ranks.start({kProgram, "nothing"}, place(1, 3));
  for (const Exit& exit : ranks.wait()) {
    EXPECT_EQ(exit.code, 64);
    EXPECT_THAT(exit.output, HasSubstr("rank 1 differs from rank 0 in the world size: it has \"3\" "
                                       "where rank 0 has \"2\""));
  }
}

// Rank 1 of the second attempt may meet the store of the first one, which then goes away.
TEST(Rendezvous, IsNotMisledByAnEarlierAttempt) {
  Ranks ranks({}, 0);
  const auto attempt = [](int rank, const char* number) {
    return place(rank, 2, {{"LOCKSTEP_JOB_UID", "job"}, {"LOCKSTEP_ATTEMPT", number}});
  };
  const std::size_t stale = ranks.start({kProgram, "nothing"}, attempt(0, "1"));
  ranks.start({kProgram, "nothing"}, attempt(1, "2"));
  ranks.start({kProgram, "nothing"}, attempt(0, "2"));  // finds the port taken at first, or wins it
  ranks.send(stale, SIGKILL);
  const auto exits = ranks.wait();
  EXPECT_EQ(exits[1].code, 0) << exits[1].output;
  EXPECT_EQ(exits[2].code, 0) << exits[2].output;
}

}  // namespace
}  // namespace lockstep::testing
