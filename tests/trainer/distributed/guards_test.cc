// What watches over a run: time limits, equal weights; and that it changes nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "tests/trainer/distributed/ranks.h"
#include "tests/trainer/distributed/training.h"

namespace lockstep::testing {
namespace {

using ::testing::ContainsRegex;

// Without end; the first step may take long on a busy machine.
const Settings kImpatient{"train.epochs=1000",         "train.first_step_timeout=60",
                          "train.step_timeout=3",      "checkpoint.every_steps=0",
                          "checkpoint.every_epochs=0", "train.eval_every_epochs=1000"};

TEST_F(Training, NamesTheRankThatStandsStill) {
  Ranks ranks(command("still", kImpatient), 3);
  ASSERT_TRUE(ranks.has_said(0, "step 10/"));
  ranks.send(1, SIGSTOP);
  for (const std::size_t rank : {0, 2}) EXPECT_TRUE(ranks.has_said(rank, "did not come"));
  ranks.send(1, SIGKILL);
  const auto exits = ranks.wait();
  for (const std::size_t rank : {0, 2}) {
    EXPECT_EQ(exits[rank].code, 75);
    EXPECT_THAT(exits[rank].output, ContainsRegex("rank 1 did not come to step [0-9]+ within 3 s"));
  }
}

TEST_F(Training, IsTheSameUnderGuards) {
  finish("watched", 3, {"train.verify_every_steps=1", "train.step_timeout=60"});
  finish("unwatched", 3, {"train.verify_every_steps=0"});
  EXPECT_TRUE(bytes_of("watched") == bytes_of("unwatched"));
}

// lenet has convolutions. Layouts add in other orders; resuming under one of them is exact.
TEST_F(Training, TakesChannelsLast) {
  const std::string even = "schedule.name=constant", last = "train.channels_last=true";
  const std::string soon = "train.max_steps=30";
  finish("first", 2, {even, soon});
  finish("resumed", 2, {even, last, soon});
  EXPECT_LE(largest_difference(model_of("first", 30), model_of("resumed", 30)), 1e-4);
  finish("resumed", 2, {even, last});
  finish("last", 2, {even, last});
  EXPECT_TRUE(bytes_of("resumed") == bytes_of("last"));
}

// Whatever attempt the one who looks belongs to.
TEST_F(Training, IsNotDisturbedByAnEvaluation) {
  finish("run", 1);
  const auto left = [&](const char* file) { return content_of(folder_ / "run" / file); };
  const std::string owner = left("OWNER"), metrics = left("logs/metrics/metrics.jsonl");
  auto evaluation = command("run", {"checkpoint.resume=never"});
  evaluation[1] = "eval";
  const auto exits =
      run_ranks(evaluation, 2, {{"LOCKSTEP_JOB_UID", "x"}, {"LOCKSTEP_ATTEMPT", "9"}});
  EXPECT_EQ(exits[0].code, 0) << exits[0].output;
  EXPECT_THAT(exits[0].output, ContainsRegex("val loss [0-9.]+ accuracy [0-9.]+"));
  EXPECT_EQ(left("OWNER"), owner);
  EXPECT_EQ(left("logs/metrics/metrics.jsonl"), metrics);
}

// A stop for lack of improvement says so; sizes that a model cannot take are refused at once.
TEST_F(Training, SaysWhyItEndsEarly) {
  const auto early = run_ranks(command("early", {"train.epochs=50", "schedule.stop_patience=1",
                                                 "schedule.stop_min_delta=10"}),
                               1);
  EXPECT_EQ(early[0].code, 0);
  EXPECT_THAT(early[0].output,
              ::testing::HasSubstr(
                  "stopped early at step 120/2000: more than 1 evaluations without a better loss"));
  const auto grid = run_ranks(command("grid", {"data.sampler.name=multigrid"}), 1);
  EXPECT_EQ(grid[0].code, 64);
  EXPECT_THAT(grid[0].output,
              ::testing::HasSubstr("model lenet takes one size only: choose a resnet"));
}

}  // namespace
}  // namespace lockstep::testing
