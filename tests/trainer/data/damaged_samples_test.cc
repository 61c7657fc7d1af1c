// The count of damaged samples: what is logged, and when it is enough.
#include "trainer/data/damaged_samples.h"

#include <gtest/gtest.h>

#include "tests/trainer/data/faults.h"

namespace lockstep {
namespace {

using testing::fault_of;

TEST(DamagedSamples, AllowsAsManyAsItWasTold) {
  DamagedSamples damaged(2, "data.max_damaged");
  EXPECT_TRUE(damaged.skip("a.png: damaged PNG"));
  EXPECT_TRUE(damaged.skip("b.png: damaged PNG"));
  EXPECT_FALSE(damaged.skip("a.png: damaged PNG")) << "read again in the next epoch";
  EXPECT_EQ(fault_of([&] { damaged.skip("c.png: the image file is empty"); }),
            "c.png: the image file is empty; 3 damaged samples, data.max_damaged allows 2");
  EXPECT_EQ(damaged.count(), 3);
}

TEST(DamagedSamples, AllowsNoneInEvaluation) {
  DamagedSamples damaged = DamagedSamples::none_allowed();
  EXPECT_EQ(fault_of([&] { damaged.skip("a.png: damaged PNG"); }),
            "a.png: damaged PNG; an evaluation skips no sample: mend it or take it out of the set");
}

TEST(DamagedSamples, WarnsAtEachPowerOfTen) {
  DamagedSamples damaged(1000, "data.max_damaged");
  EXPECT_EQ(damaged.warning(), "");
  int warnings = 0;
  for (int i = 1; i <= 1000; ++i) {
    damaged.skip("x" + std::to_string(i));
    warnings += !damaged.warning().empty();
    if (i == 1) {
      EXPECT_EQ(damaged.warning(),
                "skipped 1 damaged sample so far (data.max_damaged allows 1000), last: x1");
    }
  }
  EXPECT_EQ(warnings, 4);
  EXPECT_EQ(damaged.warning(),
            "skipped 1000 damaged samples so far (data.max_damaged allows 1000), last: x1000");
}

}  // namespace
}  // namespace lockstep
