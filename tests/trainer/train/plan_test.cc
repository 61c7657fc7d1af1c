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
    plan_for(config, samples, world_size);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(Plan, CountsTheTailAsAStep) {
  const Plan plan = plan_for(config_of(2, 128), 60000, 4);
  EXPECT_EQ(plan.steps_per_epoch, 469);
  EXPECT_EQ(plan.total_steps, 938);
  EXPECT_EQ(plan.batch_size_per_rank, 32);
}

TEST(Plan, DropsTheTailWhenTold) {
  Config config = config_of(2, 128);
  config.data.drop_last = true;
  EXPECT_EQ(plan_for(config, 60000, 4).steps_per_epoch, 468);
}

TEST(Plan, HasTheSameStepsAtAnyWorldSize) {
  for (const bool drop_last : {false, true}) {
    for (std::int64_t samples = 12; samples < 200; ++samples) {
      Config config = config_of(1, 12);
      config.data.drop_last = drop_last;
      const std::int64_t alone = plan_for(config, samples, 1).steps_per_epoch;
      for (const int ranks : {2, 3, 4, 6, 12}) {
        EXPECT_EQ(plan_for(config, samples, ranks).steps_per_epoch, alone) << samples;
      }
    }
  }
}

TEST(Plan, StopsAtMaxSteps) {
  Config config = config_of(2, 10);
  config.train.max_steps = 7;
  const Plan plan = plan_for(config, 50, 1);
  EXPECT_EQ(plan.total_steps, 7);
  EXPECT_EQ(plan.epoch_end(0), 5);
  EXPECT_EQ(plan.epoch_end(4), 5);
  EXPECT_EQ(plan.epoch_end(5), 7);
}

TEST(Plan, CountsEpochsFromOne) {
  const Plan plan = plan_for(config_of(2, 10), 50, 1);
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

TEST(Plan, RefusesToDropEverything) {
  Config config = config_of(1, 100);
  config.data.drop_last = true;
  EXPECT_THAT(refusal(config, 99, 1), testing::HasSubstr("data.drop_last leaves no step"));
}

}  // namespace
}  // namespace lockstep
