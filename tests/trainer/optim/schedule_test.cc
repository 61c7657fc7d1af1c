// Learning rates against torch's own and against the formulas.
#include "trainer/optim/schedule.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <stdexcept>
#include <vector>

namespace lockstep {
namespace {

ScheduleConfig cosine(double final_lr, int warmup_steps = 0, double warmup_epochs = 0) {
  return {"cosine", warmup_steps, warmup_epochs, final_lr};
}

// torch 2.15.0: SGD(lr) under CosineAnnealingLR(T_max, eta_min), lr read before each step.
const struct Golden {
  double base_lr;
  double final_lr;
  std::vector<double> rates;
} kTorchCosine[] = {
    {0.1,
     0.0,
     {0.1, 0.09504844339512096, 0.08117449009293669, 0.061126046697815725, 0.03887395330218429,
      0.018825509907063328, 0.004951556604879048}},
    {0.5,
     0.05,
     {0.5,
      0.497229876633906,
      0.48898771616640957,
      0.47547646794238274,
      0.45702882373436315,
      0.4340990257669732,
      0.40725168176580645,
      0.37714786244139803,
      0.3445288237343632,
      0.310197754634052,
      0.2750000000000001,
      0.23980224536594819,
      0.20547117626563693,
      0.17285213755860207,
      0.14274831823419365,
      0.11590097423302688,
      0.09297117626563689,
      0.07452353205761728,
      0.06101228383359047,
      0.05277012336609403}},
};

TEST(LearningRate, IsTorchsCosine) {
  for (const Golden& golden : kTorchCosine) {
    const auto total = static_cast<std::int64_t>(golden.rates.size());
    for (std::int64_t step = 0; step < total; ++step) {
      EXPECT_NEAR(learning_rate(cosine(golden.final_lr), golden.base_lr, step, total, total),
                  golden.rates[step], 1e-15)
          << step;
    }
  }
}

TEST(LearningRate, IsTorchsCosineAfterTheWarmUp) {
  const Golden& golden = kTorchCosine[1];
  for (std::int64_t step = 0; step < 20; ++step) {
    EXPECT_NEAR(learning_rate(cosine(0.05, 6), 0.5, step + 6, 26, 13), golden.rates[step], 1e-15);
  }
}

TEST(LearningRate, WarmsUpInALineThatStartsAboveZero) {
  for (const char* name : {"constant", "cosine"}) {
    const ScheduleConfig schedule = {name, 4, 0, 0};
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
    EXPECT_EQ(learning_rate({"constant", 0, 0, 0}, 0.3, step, 100, 10), 0.3);
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
}

}  // namespace
}  // namespace lockstep
