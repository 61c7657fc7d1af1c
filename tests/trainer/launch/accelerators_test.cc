// GPU counting against a made-up /dev.
#include "trainer/launch/accelerators.h"

#include <gtest/gtest.h>

#include <fstream>

namespace lockstep {
namespace {

std::filesystem::path dev_with(const std::vector<std::string>& files) {
  static int count = 0;
  const auto dev = std::filesystem::path(testing::TempDir()) /
                   ("dev-" + std::to_string(getpid()) + "-" + std::to_string(count++));
  std::filesystem::create_directories(dev);
  for (const std::string& file : files) std::ofstream(dev / file) << "";
  return dev;
}

TEST(VisibleGpus, CountsDeviceFilesOnly) {
  const auto dev = dev_with({"nvidia0", "nvidia1", "nvidia10", "nvidiactl", "nvidia-uvm", "null"});
  EXPECT_EQ(visible_gpus(std::nullopt, dev), 3);
  EXPECT_EQ(visible_gpus(std::nullopt, dev_with({"null"})), 0);
  EXPECT_EQ(visible_gpus(std::nullopt, dev / "nonesuch"), 0);
}

TEST(VisibleGpus, FollowsCudaVisibleDevices) {
  const auto dev = dev_with({"nvidia0", "nvidia1", "nvidia2", "nvidia3"});
  EXPECT_EQ(visible_gpus("1,3", dev), 2);
  EXPECT_EQ(visible_gpus("GPU-8f3a,GPU-11aa,2", dev), 3);
  EXPECT_EQ(visible_gpus("0,-1,2", dev), 1) << "CUDA stops at the first invalid entry";
  EXPECT_EQ(visible_gpus("", dev), 0);
  EXPECT_EQ(visible_gpus("0,1,2,3,4,5", dev), 4) << "not more than there are";
}

}  // namespace
}  // namespace lockstep
