// How many steps, and how a batch is cut.
#include "trainer/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace lockstep {
namespace {

Config config_of(int epochs, int batch_size) {
  Config config;
  config.train.epochs = epochs;
  config.train.batch_size = batch_size;
  return config;
}

std::string refusal(const Config& config, std::int64_t samples, int world_size) {
  try {
    plan_for(config, {.size = samples}, world_size);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(Plan, CountsTheTailAsAStep) {
  const Plan plan = plan_for(config_of(2, 128), {.size = 60000}, 4);
  EXPECT_EQ(plan.steps_in(0), 469);
  EXPECT_EQ(plan.total_steps, 938);
  EXPECT_EQ(plan.batch_size_per_rank, 32);
}

TEST(Plan, DropsTheTailWhenTold) {
  Config config = config_of(2, 128);
  config.data.tail = "drop";
  EXPECT_EQ(plan_for(config, {.size = 60000}, 4).steps_in(0), 468);
}

TEST(Plan, HasTheSameStepsAtAnyWorldSizeAndAnyAccumulation) {
  for (const char* const tail : {"pad", "drop", "join"}) {
    for (std::int64_t samples = 12; samples < 200; ++samples) {
      Config config = config_of(1, 12);
      config.data.tail = tail;
      const std::int64_t alone = plan_for(config, {.size = samples}, 1).steps_in(0);
      for (const int ranks : {2, 3, 4, 6, 12}) {
        for (const int accumulate : {1, 2, 3}) {
          if (12 / ranks % accumulate != 0) continue;
          config.train.accumulate = accumulate;
          EXPECT_EQ(plan_for(config, {.size = samples}, ranks).steps_in(0), alone) << samples;
        }
      }
    }
  }
}

TEST(Plan, StopsAtMaxSteps) {
  Config config = config_of(2, 10);
  config.train.max_steps = 7;
  const Plan plan = plan_for(config, {.size = 50}, 1);
  EXPECT_EQ(plan.total_steps, 7);
  EXPECT_EQ(plan.epoch_end(0), 5);
  EXPECT_EQ(plan.epoch_end(4), 5);
  EXPECT_EQ(plan.epoch_end(5), 7);
}

TEST(Plan, CountsEpochsFromOne) {
  const Plan plan = plan_for(config_of(2, 10), {.size = 50}, 1);
  EXPECT_EQ(plan.epoch_of(0), 0);
  EXPECT_EQ(plan.epoch_of(1), 1);
  EXPECT_EQ(plan.epoch_of(5), 1);
  EXPECT_EQ(plan.epoch_of(6), 2);
}

TEST(Plan, SaysWhichBatchSizesDivideEvenly) {
  EXPECT_EQ(refusal(config_of(1, 128), 1000, 3),
            "train.batch_size 128 does not divide evenly over 3 ranks: write 126 or 129");
  EXPECT_EQ(refusal(config_of(1, 2), 1000, 3),
            "train.batch_size 2 does not divide evenly over 3 ranks: write 3");
}

TEST(Plan, SaysWhichAccumulationsDivideEvenly) {
  Config config = config_of(1, 128);
  config.train.accumulate = 3;
  EXPECT_EQ(refusal(config, 1000, 2),
            "train.accumulate 3 does not divide the 64 samples of a rank in a step: write 2 or 4");
  config.train.accumulate = 100;
  EXPECT_EQ(refusal(config, 1000, 2),
            "train.accumulate 100 does not divide the 64 samples of a rank in a step: write 64");
}

TEST(Plan, AStepTakesConsecutiveBatches) {
  Config config = config_of(2, 24);
  config.train.accumulate = 3;
  const Plan plan = plan_for(config, {.size = 60}, 2);  // 8 batches of 4 each rank
  EXPECT_EQ(plan.batch_size_per_rank, 4);
  EXPECT_EQ(plan.total_steps, 6);
  EXPECT_EQ(plan.at(4), (EpochStep{.epoch = 1, .step = 1}));
  const auto [first, last] = plan.positions(plan.at(4), 8);
  EXPECT_EQ(first, 3);
  EXPECT_EQ(last, 6);
  EXPECT_EQ(plan.positions(plan.at(5), 8).last, 8) << "two are left for the last step";
}

// Multigrid's epochs grow longer; every answer against counting step by step.
TEST(Plan, KnowsEpochsOfDifferentLength) {
  Config config = config_of(9, 8);
  config.data.sampler = {.name = "multigrid", .short_cycle = false, .long_cycle = {2, 3, 7}};
  const Plan plan = plan_for(config, {.size = 256}, 2);
  std::int64_t step = 0;
  for (std::int64_t epoch = 0; epoch < 9; ++epoch) {
    const std::int64_t steps = epoch < 2 ? 4 : epoch < 3 ? 8 : epoch < 7 ? 16 : 32;
    EXPECT_EQ(plan.steps_before(epoch), step);
    EXPECT_EQ(plan.steps_in(epoch), steps);
    for (std::int64_t in_epoch = 0; in_epoch < steps; ++in_epoch, ++step) {
      EXPECT_EQ(plan.at(step), (EpochStep{epoch, in_epoch}));
      EXPECT_EQ(plan.epoch_of(step + 1), epoch + 1);
      EXPECT_EQ(plan.epoch_end(step), step - in_epoch + steps);
      EXPECT_DOUBLE_EQ(plan.epochs_done(step),
                       static_cast<double>(epoch) + static_cast<double>(in_epoch) / steps);
    }
  }
  EXPECT_EQ(plan.total_steps, step);
}

TEST(Plan, DoesNotReachStretchesAfterTheLastEpoch) {
  Config config = config_of(2, 8);
  config.data.sampler = {.name = "multigrid", .short_cycle = false, .long_cycle = {2, 3, 7}};
  EXPECT_EQ(plan_for(config, {.size = 256}, 1).total_steps, 8);
}

TEST(Plan, LetsBucketsHaveBatchesOfTheirOwn) {
  Config config = config_of(1, 7);  // not looked at
  config.data.sampler = {.name = "length_bucket", .up_to = {10}, .batch = {4, 2}};
  const SampleFacts facts{.size = 9, .lengths = {1, 10, 11, 5, 30, 2, 2, 2, 11}};
  const Plan plan = plan_for(config, facts, 2);
  EXPECT_EQ(plan.total_steps, 2);  // 6 of 8 in the first bucket, 3 of 4 in the other
  EXPECT_EQ(plan.batch_size, 8);
}

TEST(Plan, RefusesToDropEverything) {
  Config config = config_of(1, 100);
  config.data.tail = "drop";
  EXPECT_EQ(refusal(config, 99, 1),
            "data.tail drop leaves no step: train.batch_size 100 is larger than the 99 training "
            "samples");
}

}  // namespace
}  // namespace lockstep
