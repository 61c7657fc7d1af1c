// Quotas as cgroup v1, v2 and mixed systems write them.
#include "trainer/launch/cpu_quota.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace lockstep {
namespace {

namespace fs = std::filesystem;

class CgroupQuota : public testing::Test {
 protected:
  void write(const std::string& file, const std::string& text) {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }
  void TearDown() override { fs::remove_all(root_); }

  fs::path root_ = fs::path(testing::TempDir()) / ("cgroup-" + std::to_string(getpid()));
};

TEST(CpuMax, IsQuotaOverPeriod) {
  EXPECT_EQ(parse_cpu_max("150000 100000\n"), 1.5);
  EXPECT_EQ(parse_cpu_max("800000 100000"), 8);
  for (const char* none : {"max 100000\n", "", "100000", "100000 0", "-1 100000", "x y"}) {
    EXPECT_EQ(parse_cpu_max(none), std::nullopt) << none;
  }
}

TEST_F(CgroupQuota, IsTheLeastOnTheWayUpInVersion2) {
  write("proc/self/cgroup", "0::/pods/a\n");
  write("sys/fs/cgroup/pods/a/cpu.max", "400000 100000\n");
  write("sys/fs/cgroup/pods/cpu.max", "250000 100000\n");
  EXPECT_EQ(cgroup_cpu_quota(root_), 2.5);
}

TEST_F(CgroupQuota, IsAtTheMountInAContainerOfVersion2) {
  write("proc/self/cgroup", "0::/\n");
  write("sys/fs/cgroup/cpu.max", "200000 100000\n");
  EXPECT_EQ(cgroup_cpu_quota(root_), 2);
}

TEST_F(CgroupQuota, IsAtTheMountInAContainerOfVersion1) {
  write("proc/self/cgroup", "5:memory:/kubepods/x\n4:cpu,cpuacct:/kubepods/x\n0::/\n");
  write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "300000\n");
  write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cgroup_cpu_quota(root_), 3);
}

TEST_F(CgroupQuota, IsFoundUnderThePlainNameInVersion1) {
  write("proc/self/cgroup", "4:cpuacct,cpu:/x\n3:cpuset:/y\n");
  write("sys/fs/cgroup/cpu/x/cpu.cfs_quota_us", "50000\n");
  write("sys/fs/cgroup/cpu/x/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cgroup_cpu_quota(root_), 0.5);
}

TEST_F(CgroupQuota, IsAbsentWithoutALimit) {
  EXPECT_EQ(cgroup_cpu_quota(root_), std::nullopt);
  write("proc/self/cgroup", "4:cpu:/x\n0::/x\n");
  write("sys/fs/cgroup/cpu/x/cpu.cfs_quota_us", "-1\n");
  write("sys/fs/cgroup/cpu/x/cpu.cfs_period_us", "100000\n");
  write("sys/fs/cgroup/x/cpu.max", "max 100000\n");
  EXPECT_EQ(cgroup_cpu_quota(root_), std::nullopt);
}

TEST(UsableCpus, IsPositive) { EXPECT_GT(usable_cpus(), 0); }

}  // namespace
}  // namespace lockstep
