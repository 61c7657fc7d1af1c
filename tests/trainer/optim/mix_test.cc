// Draws of mixup and CutMix: their distribution, their determinism, their boxes.
#include "trainer/optim/mix.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace lockstep {
namespace {

constexpr int kDraws = 5000;

std::vector<double> shares(double alpha) {
  std::vector<double> shares;
  for (int step = 0; step < kDraws; ++step) {
    shares.push_back(draw_mix({.mixup = alpha}, 7, step, 8, 8).share);
  }
  std::sort(shares.begin(), shares.end());
  return shares;
}

// The largest distance to a distribution function (Kolmogorov-Smirnov).
template <typename Function>
double distance(const std::vector<double>& sorted, const Function& cumulative) {
  double most = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    most = std::max(most, std::abs(cumulative(sorted[i]) - (i + 0.5) / sorted.size()));
  }
  return most;
}

// 1.95 / sqrt(n) is passed by one honest sample of a thousand.
TEST(DrawMix, SharesFollowTheBetaDistribution) {
  const double most = 1.95 / std::sqrt(kDraws);
  EXPECT_LT(distance(shares(1), [](double x) { return x; }), most) << "uniform";
  EXPECT_LT(distance(shares(0.5),
                     [](double x) { return 2 / std::numbers::pi * std::asin(std::sqrt(x)); }),
            most)
      << "arcsine";
  EXPECT_LT(distance(shares(2), [](double x) { return x * x * (3 - 2 * x); }), most) << "cubic";
}

TEST(DrawMix, SharesStayNumbersForATinyAlpha) {
  for (const double alpha : {1e-9, 1e-4}) {
    const std::vector<double> all = shares(alpha);
    EXPECT_GE(all.front(), 0);
    EXPECT_LE(all.back(), 1);
    EXPECT_NEAR(static_cast<double>(std::count(all.begin(), all.end(), 1.0)) / kDraws, 0.5, 0.03);
  }
}

TEST(DrawMix, IsAFunctionOfSeedAndStep) {
  const OptimConfig both{.mixup = 0.4, .cutmix = 1};
  for (int step = 0; step < 100; ++step) {
    EXPECT_EQ(draw_mix(both, 3, step, 32, 32).share, draw_mix(both, 3, step, 32, 32).share);
  }
  const OptimConfig mixup{.mixup = 1};
  EXPECT_NE(draw_mix(mixup, 3, 5, 8, 8).share, draw_mix(mixup, 3, 6, 8, 8).share);
  EXPECT_NE(draw_mix(mixup, 3, 5, 8, 8).share, draw_mix(mixup, 4, 5, 8, 8).share);
}

TEST(DrawMix, TakesWhatIsOnAndBothHalfOfTheTime) {
  int cuts = 0;
  for (int step = 0; step < 2000; ++step) {
    EXPECT_EQ(draw_mix({}, 1, step, 8, 8).mixing, Mixing::kNone);
    EXPECT_EQ(draw_mix({.mixup = 1}, 1, step, 8, 8).mixing, Mixing::kMixup);
    EXPECT_EQ(draw_mix({.cutmix = 1}, 1, step, 8, 8).mixing, Mixing::kCutmix);
    cuts += draw_mix({.mixup = 1, .cutmix = 1}, 1, step, 8, 8).mixing == Mixing::kCutmix;
  }
  EXPECT_NEAR(cuts, 1000, 100);
}

TEST(DrawMix, CutsBoxesInsideTheImageAndCountsTheirPixels) {
  for (const auto& [rows, columns] : {std::pair{1, 1}, {28, 28}, {5, 90}}) {
    double covered = 0;
    for (int step = 0; step < 3000; ++step) {
      const Mix mix = draw_mix({.cutmix = 1}, 9, step, rows, columns);
      const Box& box = mix.box;
      ASSERT_TRUE(0 <= box.top && box.top <= box.bottom && box.bottom <= rows);
      ASSERT_TRUE(0 <= box.left && box.left <= box.right && box.right <= columns);
      const auto pixels = static_cast<double>((box.bottom - box.top) * (box.right - box.left));
      EXPECT_DOUBLE_EQ(mix.share, 1 - pixels / (rows * columns));
      covered += pixels / (rows * columns) / 3000;
    }
    EXPECT_LT(covered, 0.5) << "half before the cut at the edges";
    if (rows == 28) {
      EXPECT_GT(covered, 0.25);
    }
  }
}

}  // namespace
}  // namespace lockstep
