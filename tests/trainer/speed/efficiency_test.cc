// MFU by hand: 2 x 3 times 3 x 4 has 48 operations.
#include "trainer/speed/efficiency.h"

#include <gtest/gtest.h>

#include "trainer/torch.h"

namespace lockstep {
namespace {

void multiply() { at::mm(at::ones({2, 3}), at::ones({3, 4})); }

Config with_peak(double tflops) {
  Config config;
  config.log.peak_tflops = tflops;
  return config;
}

// A batch of two samples at 10 samples a second: 3 x 24 operations a sample, 720 a second, of two
// ranks that could do 1000 each.
TEST(Efficiency, IsTheShareOfThePeakOfAllRanks) {
  Efficiency efficiency(with_peak(1000 * 1e-12), at::kCPU, 2);
  {
    const auto count = efficiency.count_once(2);
    multiply();
  }
  EXPECT_EQ(efficiency.flops_per_sample(), 24);
  EXPECT_DOUBLE_EQ(*efficiency.completed({.samples_per_second = 10}).mfu, 0.36);
  EXPECT_FALSE(efficiency.completed({}).mfu) << "the speed is not known";
}

TEST(Efficiency, CountsTheFirstPassAlone) {
  Efficiency efficiency(with_peak(1), at::kCPU, 1);
  EXPECT_FALSE(efficiency.flops_per_sample());
  for (int pass = 0; pass < 3; ++pass) {
    const auto count = efficiency.count_once(1);
    EXPECT_EQ(count.has_value(), pass == 0);
    EXPECT_EQ(at::hasThreadLocalCallbacks(), pass == 0);
    multiply();
  }
  EXPECT_EQ(efficiency.flops_per_sample(), 48);
  EXPECT_FALSE(at::hasThreadLocalCallbacks());
}

TEST(Efficiency, IsNotKnownWithoutAPeak) {
  Efficiency efficiency(Config{}, at::kCPU, 1);
  {
    const auto count = efficiency.count_once(1);
    multiply();
  }
  EXPECT_FALSE(efficiency.completed({.samples_per_second = 10}).mfu);
}

TEST(Efficiency, TellsTheMostMemorySoFar) {
  const Efficiency efficiency(Config{}, at::kCPU, 1);
  const double before = *efficiency.completed({}).memory;
  at::ones({static_cast<std::int64_t>(before) + (64 << 20)}, at::kByte);
  const double after = *efficiency.completed({}).memory;
  EXPECT_GE(after, before + (64 << 20));
  EXPECT_GE(*efficiency.completed({}).memory, after) << "a peak stays when memory is given back";
}

}  // namespace
}  // namespace lockstep
