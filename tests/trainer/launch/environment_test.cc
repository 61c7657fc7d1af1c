// From the node's variables to each rank's.
#include "trainer/launch/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace lockstep {
namespace {

using testing::HasSubstr;

// What the operator gives the second of three unequal nodes: 4, 2 and 1 processes.
const Environment kSecondNode = {{"MASTER_ADDR", "fashion-0.fashion.ml.svc"},
                                 {"MASTER_PORT", "29511"},
                                 {"NNODES", "3"},
                                 {"NODE_RANK", "1"},
                                 {"NPROC_PER_NODE", "2"},
                                 {"LOCAL_WORLD_SIZE", "2"},
                                 {"WORLD_SIZE", "7"},
                                 {"LOCKSTEP_RANK_OFFSET", "4"},
                                 {"LOCKSTEP_ATTEMPT", "3"},
                                 {"LOCKSTEP_JOB_UID", "5f0c"},
                                 {"PATH", "/usr/bin"}};

std::string refusal(const Environment& node, const Options& options, const Machine& machine = {}) {
  try {
    plan_node(node, options, machine);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

Options with_nproc(const std::string& nproc) {
  Options options;
  options.nproc = nproc;
  return options;
}

TEST(Environment, GivesEachRankOfTheNodeItsVariables) {
  const NodePlan plan = plan_node(kSecondNode, {}, {.cpus = 5});
  Environment expected = kSecondNode;
  expected.merge(Environment{{"RANK", "5"},
                             {"LOCAL_RANK", "1"},
                             {"GROUP_RANK", "1"},
                             {"GROUP_WORLD_SIZE", "3"},
                             {"ROLE_RANK", "5"},
                             {"ROLE_WORLD_SIZE", "7"},
                             {"ROLE_NAME", "default"},
                             {"TORCHELASTIC_RESTART_COUNT", "2"},
                             {"TORCHELASTIC_MAX_RESTARTS", "0"},
                             {"TORCHELASTIC_RUN_ID", "5f0c"},
                             {"TORCHELASTIC_USE_AGENT_STORE", "False"},
                             {"TORCH_NCCL_ASYNC_ERROR_HANDLING", "1"},
                             {"OMP_NUM_THREADS", "2"}});
  EXPECT_EQ(worker_environment(kSecondNode, plan, 1), expected);
}

TEST(Environment, IsOneProcessOnOneNodeByDefault) {
  const NodePlan plan = plan_node({}, {}, {.cpus = 8});
  const Environment worker = worker_environment({}, plan, 0);
  EXPECT_EQ(worker.at("RANK"), "0");
  EXPECT_EQ(worker.at("WORLD_SIZE"), "1");
  EXPECT_EQ(worker.at("MASTER_ADDR"), "127.0.0.1");
  EXPECT_EQ(worker.at("MASTER_PORT"), "29500");
  EXPECT_EQ(worker.at("TORCHELASTIC_RUN_ID"), "none");
  EXPECT_EQ(worker.at("OMP_NUM_THREADS"), "8");
}

TEST(Environment, CountsProcessesByFlagThenVariableThenGpusThenOne) {
  const struct {
    const char* nproc;
    Environment node;
    Machine machine;
    int expected;
  } cases[] = {
      {"3", {}, {}, 3},
      {"auto", {}, {}, 1},
      {"auto", {}, {.gpus = 8}, 8},
      {"auto", {{"NPROC_PER_NODE", "2"}}, {.gpus = 8}, 2},
      {"auto", {{"LOCAL_WORLD_SIZE", "4"}}, {.gpus = 8}, 4},
      {"auto", {{"NPROC_PER_NODE", "auto"}}, {.gpus = 8}, 8},
      {"cpu", {{"NPROC_PER_NODE", "2"}}, {.cpus = 6.5}, 6},
      {"cpu", {}, {.cpus = 0.5}, 1},
      {"gpu", {{"NPROC_PER_NODE", "2"}}, {.gpus = 4}, 4},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(plan_node(c.node, with_nproc(c.nproc), c.machine).local_world_size, c.expected)
        << c.nproc;
  }
}

TEST(Environment, DerivesOffsetAndWorldWhenNodesAreEqual) {
  const NodePlan plan =
      plan_node({{"NNODES", "3"}, {"NODE_RANK", "2"}, {"MASTER_ADDR", "a"}}, with_nproc("4"), {});
  EXPECT_EQ(plan.rank_offset, 8);
  EXPECT_EQ(plan.world_size, 12);
}

TEST(Environment, ThreadsAreAShareOfTheCpusUnlessSet) {
  const NodePlan plan = plan_node({}, with_nproc("4"), {.cpus = 2});
  EXPECT_EQ(worker_environment({}, plan, 0).at("OMP_NUM_THREADS"), "1");
  EXPECT_EQ(worker_environment({{"OMP_NUM_THREADS", "7"}}, plan, 0).at("OMP_NUM_THREADS"), "7");
  EXPECT_EQ(worker_environment({{"OMP_NUM_THREADS", ""}}, plan, 0).at("OMP_NUM_THREADS"), "1");
}

TEST(Environment, StandaloneLooksAtNoVariable) {
  Options options = with_nproc("2");
  options.standalone = true;
  const NodePlan plan = plan_node(kSecondNode, options, {.free_port = 4242});
  const Environment worker = worker_environment(kSecondNode, plan, 1);
  EXPECT_EQ(worker.at("RANK"), "1");
  EXPECT_EQ(worker.at("WORLD_SIZE"), "2");
  EXPECT_EQ(worker.at("MASTER_ADDR"), "127.0.0.1");
  EXPECT_EQ(worker.at("MASTER_PORT"), "4242");
}

TEST(Environment, TakesTheNodeFromFlagsBeforeVariables) {
  Options options = with_nproc("4");
  options.nnodes = 2;
  options.node_rank = 1;
  options.master_addr = "head";
  options.master_port = 29600;
  const Environment node = with_node_flags({{"NNODES", "9"}, {"NODE_RANK", "8"}}, options);
  const Environment worker = worker_environment(node, plan_node(node, options, {}), 3);
  EXPECT_EQ(worker.at("RANK"), "7");
  EXPECT_EQ(worker.at("WORLD_SIZE"), "8");
  EXPECT_EQ(worker.at("GROUP_RANK"), "1");
  EXPECT_EQ(worker.at("MASTER_ADDR"), "head");
  EXPECT_EQ(worker.at("MASTER_PORT"), "29600");
  EXPECT_EQ(with_node_flags(kSecondNode, {}), kSecondNode);
}

TEST(Environment, RestartsInPlaceOnlyWithoutAnOperator) {
  Options options;
  options.max_restarts = 3;
  const NodePlan alone = plan_node({}, options, {});
  EXPECT_EQ(worker_environment({}, alone, 0).at("TORCHELASTIC_MAX_RESTARTS"), "3");
  EXPECT_EQ(plan_node({{"LOCKSTEP_JOB_UID", "5f0c"}}, options, {}).max_restarts, 0);
}

TEST(Environment, RefusesWhatCannotBe) {
  EXPECT_THAT(refusal({{"NNODES", "2"}}, {}), HasSubstr("MASTER_ADDR is not set"));
  EXPECT_THAT(refusal({{"NNODES", "two"}}, {}), HasSubstr("NNODES=two is not a whole number"));
  EXPECT_THAT(refusal({{"NNODES", "2"}, {"NODE_RANK", "2"}}, {}), HasSubstr("from 0 to 1"));
  EXPECT_THAT(refusal({{"MASTER_PORT", "70000"}}, {}), HasSubstr("MASTER_PORT=70000"));
  EXPECT_THAT(refusal({}, with_nproc("0")), HasSubstr("--nproc=0"));
  EXPECT_THAT(refusal({}, with_nproc("all")), HasSubstr("nor auto, cpu or gpu"));
  EXPECT_THAT(refusal({}, with_nproc("gpu")), HasSubstr("no GPU is visible"));
  EXPECT_THAT(refusal(kSecondNode, with_nproc("4")), HasSubstr("ranks 4 to 7"));
  EXPECT_THAT(refusal({{"WORLD_SIZE", "4"}}, with_nproc("2")), HasSubstr("WORLD_SIZE=4"));
}

TEST(StopGrace, IsTheFlagThenTheVariableThen25Seconds) {
  Options options;
  EXPECT_EQ(stop_grace({}, options), Seconds(25));
  EXPECT_EQ(stop_grace({{"LOCKSTEP_GRACE_SECONDS", "55"}}, options), Seconds(55));
  options.grace = Seconds(2.5);
  EXPECT_EQ(stop_grace({{"LOCKSTEP_GRACE_SECONDS", "55"}}, options), Seconds(2.5));
  EXPECT_THROW(stop_grace({{"LOCKSTEP_GRACE_SECONDS", "soon"}}, {}), std::invalid_argument);
}

TEST(HangTimeout, IsTheFlagThenTheVariableThenNever) {
  Options options;
  EXPECT_EQ(hang_timeout({}, options), Seconds(0));
  EXPECT_EQ(hang_timeout({{"LOCKSTEP_HANG_TIMEOUT", "600"}}, options), Seconds(600));
  options.hang_timeout = Seconds(0);
  EXPECT_EQ(hang_timeout({{"LOCKSTEP_HANG_TIMEOUT", "600"}}, options), Seconds(0));
}

}  // namespace
}  // namespace lockstep
