// Limits as cgroup v1 and v2 write them.
#include "trainer/launch/memory_limit.h"

#include <gtest/gtest.h>

#include "tests/support/temporary_directory.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

class MemoryLimit : public ::testing::Test {
 protected:
  void write(const std::string& file, const std::string& text) {
    fs::create_directories((root_ / file).parent_path());
    testing::set_content(root_ / file, text);
  }

  testing::TemporaryDirectory root_;
};

TEST_F(MemoryLimit, IsTheLeastOnTheWayUpInVersion2) {
  write("proc/self/cgroup", "0::/pods/a\n");
  write("sys/fs/cgroup/pods/a/memory.max", "4294967296\n");
  write("sys/fs/cgroup/pods/memory.max", "2147483648\n");
  EXPECT_EQ(cgroup_memory_limit(root_.path()), 2147483648U);
}

TEST_F(MemoryLimit, IsAtTheMountInAContainerOfVersion1) {
  write("proc/self/cgroup", "5:memory:/kubepods/x\n4:cpu,cpuacct:/kubepods/x\n0::/\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "1073741824\n");
  EXPECT_EQ(cgroup_memory_limit(root_.path()), 1073741824U);
}

TEST_F(MemoryLimit, IsAbsentWithoutOne) {
  EXPECT_EQ(cgroup_memory_limit(root_.path()), std::nullopt);
  write("proc/self/cgroup", "5:memory:/x\n0::/x\n");
  write("sys/fs/cgroup/memory/x/memory.limit_in_bytes", "9223372036854771712\n");
  write("sys/fs/cgroup/x/memory.max", "max\n");
  EXPECT_EQ(cgroup_memory_limit(root_.path()), std::nullopt);
}

TEST_F(MemoryLimit, OfAMachineIsItsMainMemory) {
  EXPECT_EQ(machine_memory(root_.path()), 0U);
  write("proc/meminfo", "MemFree:  77 kB\nMemTotal:       16384 kB\nMemAvailable: 5 kB\n");
  EXPECT_EQ(machine_memory(root_.path()), 16384U * 1024);
  EXPECT_GT(machine_memory(), 0U);
}

}  // namespace
}  // namespace lockstep
