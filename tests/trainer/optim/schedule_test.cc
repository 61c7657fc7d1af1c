// Learning rates against torch's own (golden/make_schedule_goldens.py) and against the formulas.
#include "trainer/optim/schedule.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <stdexcept>
#include <vector>

#include "tests/trainer/optim/golden.h"
#include "trainer/config/settings.h"

namespace lockstep {
namespace {

using nlohmann::json;

ScheduleConfig cosine(double final_lr, int warmup_steps = 0, double warmup_epochs = 0) {
  return {.name = "cosine",
          .warmup_steps = warmup_steps,
          .warmup_epochs = warmup_epochs,
          .final_lr = final_lr};
}

ScheduleConfig schedule_of(const json& golden) {
  ScheduleConfig schedule;
  for (const auto& [name, value] : golden.items()) {
    Config config;
    config.schedule = schedule;
    for_each_setting(config, [&](const std::string& full, auto& setting, const Rule&, Change) {
      if (full == "schedule." + name) value.get_to(setting);
    });
    schedule = config.schedule;
  }
  return schedule;
}

// A unit is a step, or an epoch whose every step has one rate.
void expect_rates(const json& golden, const ScheduleConfig& schedule) {
  const std::vector<double> rates = golden["rates"];
  const std::int64_t steps_per_epoch = golden["steps_per_epoch"];
  const std::int64_t unit = schedule.per == "epoch" ? steps_per_epoch : 1;
  const auto total = static_cast<std::int64_t>(rates.size()) * unit;
  for (std::int64_t step = 0; step < total; ++step) {
    const double rate = learning_rate(schedule, golden["lr"], step, total, steps_per_epoch);
    EXPECT_NEAR(rate, rates[step / unit], 1e-14) << golden["schedule"] << " step " << step;
  }
}

void expect_plateau(const json& golden, const ScheduleConfig& schedule) {
  const std::vector<double> rates = golden["rates"], metrics = golden["metrics"];
  for (std::size_t done = 0; done < rates.size(); ++done) {
    const std::span<const double> history(metrics.data(), done);
    EXPECT_NEAR(learning_rate(schedule, golden["lr"], 5, 10, 1, history), rates[done], 1e-14)
        << golden["schedule"] << " after " << done;
  }
}

TEST(LearningRate, IsThatOfTorchsSchedulers) {
  const json all = testing::golden("schedules.json");
  for (const json& golden : all) {
    const ScheduleConfig schedule = schedule_of(golden["schedule"]);
    golden.contains("metrics") ? expect_plateau(golden, schedule) : expect_rates(golden, schedule);
  }
}

// GluonCV's GradualWarmup with multiplier 1 and then with 10 (lr 0.1, warm-up from 0.01).
TEST(LearningRate, WarmsUpAsGluonCvOnlyWhenAsked) {
  ScheduleConfig schedule{.name = "constant", .per = "epoch", .warmup_epochs = 4};
  EXPECT_DOUBLE_EQ(learning_rate(schedule, 0.1, 0, 60, 6), 0.025) << "by default it trains at once";
  schedule.warmup = "gluoncv";
  const double from_zero[] = {0, 0.025, 0.05, 0.075, 0.1, 0.1};
  const double from_start[] = {0.01, 0.0325, 0.055, 0.0775, 0.1, 0.1};
  for (int step = 0; step < 36; ++step) {
    schedule.warmup_start_lr = 0;
    EXPECT_DOUBLE_EQ(learning_rate(schedule, 0.1, step, 60, 6), from_zero[step / 6]) << step;
    schedule.warmup_start_lr = 0.01;
    EXPECT_DOUBLE_EQ(learning_rate(schedule, 0.1, step, 60, 6), from_start[step / 6]) << step;
  }
}

TEST(LearningRate, NeverRunsAStepAtRateZeroBeforeTheEnd) {
  for (const char* name : {"constant", "linear", "poly", "cosine", "wsd", "one_cycle", "plateau"}) {
    for (const char* per : {"step", "epoch"}) {
      const ScheduleConfig schedule{.name = name, .per = per, .warmup_epochs = 3};
      for (int step = 0; step < 120; ++step) {
        EXPECT_GT(learning_rate(schedule, 0.1, step, 120, 10), 0) << name << " " << per << step;
      }
    }
  }
}

TEST(LearningRate, CountsMilestonesInEpochsEvenPerStep) {
  const ScheduleConfig schedule{.name = "multistep", .milestones = {2, 3}, .gamma = 0.5};
  for (int step = 0; step < 40; ++step) {
    const double expected = step < 20 ? 0.8 : step < 30 ? 0.4 : 0.2;
    EXPECT_DOUBLE_EQ(learning_rate(schedule, 0.8, step, 40, 10), expected) << step;
  }
}

TEST(LearningRate, FallsByGammaPerEpochEvenPerStep) {
  const ScheduleConfig schedule{.name = "exponential", .gamma = 0.25};
  EXPECT_DOUBLE_EQ(learning_rate(schedule, 0.8, 5, 40, 10), 0.4);
  EXPECT_DOUBLE_EQ(learning_rate(schedule, 0.8, 10, 40, 10), 0.2);
}

TEST(LearningRate, StaysFiniteInTheShortestTrainings) {
  for (const char* name : {"constant", "multistep", "exponential", "linear", "poly", "cosine",
                           "wsd", "one_cycle", "plateau"}) {
    for (std::int64_t total : {1, 2, 3}) {
      for (std::int64_t step = 0; step < total; ++step) {
        const double rate = learning_rate({.name = name}, 0.1, step, total, 1);
        EXPECT_TRUE(rate >= 0 && rate <= 0.1) << name << " " << step << " of " << total;
      }
    }
  }
}

TEST(ScaledLr, FollowsTheGlobalBatch) {
  OptimConfig optim{.lr = 0.1, .base_batch_size = 256};
  EXPECT_DOUBLE_EQ(scaled_lr(optim, 1024), 0.1);
  optim.scale_lr = "linear";
  EXPECT_DOUBLE_EQ(scaled_lr(optim, 1024), 0.4);
  EXPECT_DOUBLE_EQ(scaled_lr(optim, 64), 0.025);
  optim.scale_lr = "sqrt";
  EXPECT_DOUBLE_EQ(scaled_lr(optim, 1024), 0.2);
}

TEST(LearningRate, WarmsUpInALineThatStartsAboveZero) {
  for (const char* name : {"constant", "cosine"}) {
    const ScheduleConfig schedule{.name = name, .warmup_steps = 4};
    EXPECT_DOUBLE_EQ(learning_rate(schedule, 0.8, 0, 100, 10), 0.2);
    EXPECT_DOUBLE_EQ(learning_rate(schedule, 0.8, 1, 100, 10), 0.4);
    EXPECT_DOUBLE_EQ(learning_rate(schedule, 0.8, 3, 100, 10), 0.8);
    EXPECT_DOUBLE_EQ(learning_rate(schedule, 0.8, 4, 100, 10), 0.8);
  }
}

TEST(LearningRate, CountsWarmUpEpochsInSteps) {
  for (std::int64_t step = 0; step < 40; ++step) {
    EXPECT_EQ(learning_rate(cosine(0, 0, 1.5), 0.1, step, 40, 10),
              learning_rate(cosine(0, 15), 0.1, step, 40, 10));
  }
}

TEST(LearningRate, StaysConstant) {
  for (const std::int64_t step : {0, 5, 99, 1000}) {
    EXPECT_EQ(learning_rate({.name = "constant"}, 0.3, step, 100, 10), 0.3);
  }
}

TEST(LearningRate, HoldsItsLastValuePastTheEnd) {
  const double last = learning_rate(cosine(0.01), 0.1, 99, 100, 10);
  EXPECT_NEAR(last, 0.01 + 0.09 * (1 + std::cos(std::numbers::pi * 0.99)) / 2, 1e-15);
  EXPECT_EQ(learning_rate(cosine(0.01), 0.1, 1000, 100, 10), last);
}

TEST(LearningRate, StaysFiniteWhenTheWarmUpIsAsLongAsTheTraining) {
  for (std::int64_t step = 0; step < 10; ++step) {
    EXPECT_DOUBLE_EQ(learning_rate(cosine(0, 50), 1.0, step, 10, 5), (step + 1) / 10.0);
  }
}

TEST(LearningRate, LiesBetweenItsEndsAndNeverRises) {
  double before = 0.7;
  for (std::int64_t step = 0; step < 500; ++step) {
    const double rate = learning_rate(cosine(0.2), 0.7, step, 500, 50);
    EXPECT_LE(rate, before);
    EXPECT_GE(rate, 0.2);
    before = rate;
  }
}

TEST(LearningRate, RefusesStepsThatCannotBe) {
  EXPECT_THROW(learning_rate({}, 0.1, -1, 10, 10), std::invalid_argument);
  EXPECT_THROW(learning_rate({}, 0.1, 0, 0, 10), std::invalid_argument);
  EXPECT_THROW(learning_rate({}, 0.1, 0, 10, 0), std::invalid_argument);
  EXPECT_THROW(learning_rate({.name = "magic"}, 0.1, 0, 10, 1), std::invalid_argument);
}

}  // namespace
}  // namespace lockstep
