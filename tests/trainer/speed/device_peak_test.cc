// Names as drivers tell them.
#include "trainer/speed/device_peak.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

TEST(PeakFlops, AreThoseOfTheDataSheets) {
  struct Case {
    const char* device;
    double fp32, bf16, fp16;  // tera; 0: unknown
  };
  const Case cases[] = {{"NVIDIA H200", 494.5, 989.5, 989.5},
                        {"NVIDIA H100 80GB HBM3", 494.5, 989.5, 989.5},
                        {"NVIDIA H100 PCIe", 378, 756, 756},
                        {"NVIDIA A100-SXM4-80GB", 156, 312, 312},
                        {"NVIDIA A100-PCIE-40GB", 156, 312, 312},
                        {"NVIDIA A10", 62.5, 125, 125},
                        {"NVIDIA L40S", 183, 362.05, 362.05},
                        {"NVIDIA L4", 60, 121, 121},
                        {"Tesla V100-SXM2-16GB", 15.7, 0, 125},
                        {"Tesla V100S-PCIE-32GB", 16.4, 0, 130},
                        {"Tesla T4", 8.1, 0, 65},
                        {"NVIDIA T400 4GB", 0, 0, 0},
                        {"NVIDIA L40", 0, 0, 0},
                        {"NVIDIA GH200 480GB", 0, 0, 0},
                        {"", 0, 0, 0}};
  for (const Case& each : cases) {
    EXPECT_EQ(peak_flops(each.device, "fp32").value_or(0), each.fp32 * 1e12) << each.device;
    EXPECT_EQ(peak_flops(each.device, "bf16").value_or(0), each.bf16 * 1e12) << each.device;
    EXPECT_EQ(peak_flops(each.device, "fp16").value_or(0), each.fp16 * 1e12) << each.device;
  }
}

}  // namespace
}  // namespace lockstep
