// The progress line, with a hand-turned clock.
#include "trainer/progress.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

using std::chrono::seconds;

const Plan kPlan{.epochs = 2,
                 .total_steps = 938,
                 .batch_size = 128,
                 .batch_size_per_rank = 64,
                 .lengths = {{.steps_per_epoch = 469}}};

std::string line(Progress& progress, std::int64_t step, double loss, double rate,
                 Progress::Time now) {
  return progress.line(step, rate, progress.measure(step, loss, now));
}

// Steps up to and with `last`, a second each.
void count_to(Progress& progress, std::int64_t first, std::int64_t last) {
  for (std::int64_t step = first; step <= last; ++step) {
    progress.count(step, kPlan.batch_size, Progress::Time{} + seconds(step));
  }
}

TEST(Progress, ShowsNoSpeedForTheFirstStep) {
  Progress progress(kPlan);
  const Progress::Time start{};
  progress.count(1, 128, start);
  const Figures figures = progress.measure(1, 2.30259, start);
  EXPECT_FALSE(figures.samples_per_second || figures.data_wait || figures.comm_wait);
  EXPECT_EQ(progress.line(1, 0.0005, figures), "epoch 1/2 step 1/938 loss 2.3026 lr 0.0005");
}

TEST(Progress, MeasuresSpeedSinceTheLastLineAndTimeLeftSinceTheStart) {
  Progress progress(kPlan);
  const Progress::Time start{};
  count_to(progress, 1, 101);
  EXPECT_EQ(line(progress, 101, 0.5, 0.01, start + seconds(101)),
            "epoch 1/2 step 101/938 loss 0.5000 lr 0.01 128 samples/s eta 13m57s");
  count_to(progress, 102, 141);
  EXPECT_EQ(line(progress, 141, 0.5, 0.01, start + seconds(102)),
            "epoch 1/2 step 141/938 loss 0.5000 lr 0.01 5.1k samples/s eta 9m35s");
}

TEST(Progress, ShowsMfuAndMemoryWhereTheyAreKnown) {
  Progress progress(kPlan);
  count_to(progress, 1, 101);
  Figures figures = progress.measure(101, 0.5, Progress::Time{} + seconds(101));
  const std::string plain = progress.line(101, 0.01, figures);
  figures.memory = 300.4 * 1048576;
  EXPECT_EQ(progress.line(101, 0.01, figures), plain + " memory 300 MiB");
  figures.mfu = 0.4125;
  EXPECT_EQ(progress.line(101, 0.01, figures), plain + " mfu 41.2% memory 300 MiB");
}

TEST(Progress, CountsFromTheStepItResumedAt) {
  Progress progress(kPlan);
  const Progress::Time start{};
  for (std::int64_t step = 470; step <= 480; ++step) progress.count(step, 128, start);
  EXPECT_EQ(line(progress, 480, 1, 0.1, start + seconds(10)),
            "epoch 2/2 step 480/938 loss 1.0000 lr 0.1 128 samples/s eta 7m38s");
}

TEST(Progress, CountsTheSamplesThatStepsReallyHad) {
  Progress progress(kPlan);
  const Progress::Time start{};
  for (const std::int64_t samples : {100, 30, 20}) progress.count(1, samples, start);
  EXPECT_EQ(progress.measure(3, 1, start + seconds(10)).samples_per_second, 5);
}

TEST(Progress, MeasuresWaitsAsSharesOfTheTimeSinceTheLastFigures) {
  Progress progress(kPlan);
  const Progress::Time start{};
  progress.waited_for_data(seconds(1000));  // the first step is not measured
  progress.waited_for_ranks(seconds(1000));
  progress.count(1, 128, start);
  progress.waited_for_data(seconds(1));
  progress.waited_for_data(seconds(1));
  progress.waited_for_ranks(seconds(5));
  const Figures first = progress.measure(3, 0.5, start + seconds(10));
  EXPECT_EQ(first.data_wait, 0.2);
  EXPECT_EQ(first.comm_wait, 0.5);
  progress.waited_for_data(seconds(1));
  const Figures second = progress.measure(5, 0.5, start + seconds(14));
  EXPECT_EQ(second.data_wait, 0.25);
  EXPECT_EQ(second.comm_wait, 0);
}

TEST(Progress, LeavesOutAWaitThatCannotBeKnown) {
  Progress progress(kPlan);
  const Progress::Time start{};
  progress.count(1, 128, start);
  progress.waited_for_ranks(std::nullopt);
  progress.waited_for_ranks(std::nullopt);
  const Figures figures = progress.measure(3, 0.5, start + seconds(10));
  EXPECT_EQ(figures.comm_wait, std::nullopt);
  EXPECT_EQ(figures.data_wait, 0);
}

TEST(ShortNumber, KeepsTwoOrThreeDigits) {
  EXPECT_EQ(short_number(87.4), "87");
  EXPECT_EQ(short_number(999.4), "999");
  EXPECT_EQ(short_number(999.6), "1.0k");
  EXPECT_EQ(short_number(5123), "5.1k");
  EXPECT_EQ(short_number(2.4e6), "2.4M");
}

TEST(ShortSize, IsInTheLargestUnitThatFits) {
  EXPECT_EQ(short_size(497.3 * 1024), "497 KiB");
  EXPECT_EQ(short_size(300.4 * 1048576), "300 MiB");
  EXPECT_EQ(short_size(1.95 * 1073741824), "1.9 GiB");
  EXPECT_EQ(short_size(139.8 * 1073741824), "139.8 GiB");
}

TEST(ShortDuration, ShowsTheTwoLargestUnits) {
  EXPECT_EQ(short_duration(seconds(31)), "0m31s");
  EXPECT_EQ(short_duration(seconds(725)), "12m05s");
  EXPECT_EQ(short_duration(seconds(3 * 3600 + 7 * 60 + 59)), "3h07m");
}

}  // namespace
}  // namespace lockstep
