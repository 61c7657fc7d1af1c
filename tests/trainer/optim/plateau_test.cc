// Early stopping, and edges of the plateau; equality with ReduceLROnPlateau is in schedule_test.cc.
#include "trainer/optim/plateau.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace lockstep {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(ShouldStopEarly, CountsEvaluationsWithoutImprovement) {
  const struct {
    EarlyStop rule;
    std::vector<double> metrics;
    bool stops;
  } cases[] = {
      {{.patience = 2}, {}, false},
      {{.patience = 2}, {1, 0.9, 0.95, 0.92}, false},
      {{.patience = 2}, {1, 0.9, 0.95, 0.92, 0.9}, true},
      {{.patience = 2}, {1, 0.9, 0.95, 0.92, 0.89}, false},
      {{.patience = 0}, {1, 0.9, 0.9}, true},
      {{.patience = 1, .min_delta = 0.1}, {1, 0.95, 0.91}, true},
      {{.patience = 1, .min_delta = 0.1}, {1, 0.95, 0.89}, false},
      {{.patience = 1, .better = Better::kHigher}, {0.5, 0.6, 0.55, 0.7}, false},
      {{.patience = 1, .better = Better::kHigher}, {0.5, 0.6, 0.55, 0.6}, true},
      {{.patience = 1}, {kNan, kNan}, true},
      {{.patience = 1}, {kNan, 1, kNan}, false},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(should_stop_early(c.rule, c.metrics), c.stops) << ::testing::PrintToString(c.metrics);
  }
}

TEST(ShouldStopEarly, StaysTrueWhateverFollows) {
  std::vector<double> metrics = {1, 2, 2};
  ASSERT_TRUE(should_stop_early({.patience = 1}, metrics));
  metrics.push_back(0);
  EXPECT_TRUE(should_stop_early({.patience = 1}, metrics));
}

TEST(PlateauLr, TakesAMetricThatIsNoNumberAsNoImprovement) {
  const ScheduleConfig schedule{.name = "plateau", .patience = 1};
  EXPECT_DOUBLE_EQ(plateau_lr(schedule, 1, std::vector<double>{kNan, kNan}), 0.1);
  EXPECT_EQ(plateau_lr(schedule, 1, std::vector<double>{kNan, 3, kNan}), 1);
}

TEST(BetterOf, KnowsWhichWayAMetricGoes) {
  EXPECT_EQ(better_of("loss"), Better::kLower);
  EXPECT_EQ(better_of("accuracy"), Better::kHigher);
}

}  // namespace
}  // namespace lockstep
