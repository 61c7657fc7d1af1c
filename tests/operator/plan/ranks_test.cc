// Process counts and the numbering of ranks.
#include "operator/plan/ranks.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "operator/plan/platform.h"
#include "operator/plan/trainer_container.h"
#include "tests/support/spec.h"

namespace lockstep {
namespace {

using nlohmann::json;

const std::vector<std::string> kAccelerators = Platform::default_accelerators();

TEST(Accelerators, AreCountedByPatternInTheLimits) {
  const std::pair<const char*, int> cases[] = {
      {R"({})", 0},
      {R"({"cpu": "8", "memory": "1Gi"})", 0},
      {R"({"nvidia.com/gpu": 8})", 8},
      {R"({"nvidia.com/gpu": "4"})", 4},
      {R"({"nvidia.com/mig-1g.5gb": 2, "nvidia.com/mig-2g.10gb": "1"})", 3},
      {R"({"amd.com/gpu": 2})", 2},
      {R"({"gpu.intel.com/i915": 1})", 1},
      {R"({"habana.ai/gaudi": 8})", 8},
      {R"({"huawei.com/Ascend910": 16})", 16},
      {R"({"nvidia.com/gpu.shared": 4})", 0},
      {R"({"example.com/nvidia.com/gpu": 4})", 0},
      {R"({"nvidia.com/gpu": -3})", 0},
      {R"({"nvidia.com/gpu": "many"})", 0},
      {R"({"nvidia.com/gpu": "1e1"})", 10},
      {R"({"gpu.intel.com/i915": 1, "gpu.intel.com/millicores": 500})", 1},
      {R"({"nvidia.com/gpu": 1e9})", 64}};
  for (const auto& [limits, count] : cases) {
    const json container = {{"resources", {{"limits", json::parse(limits)}}}};
    EXPECT_EQ(count_accelerators(container, kAccelerators), count) << limits;
  }
}

int processes_of(const char* spec, const std::vector<std::string>& accelerators = kAccelerators) {
  return ranks_of(spec_of(spec), accelerators).processes(0);
}

TEST(Ranks, TakeProcessesFromTheSpecFirst) {
  const char* eight = R"({"resourcesPerNode": {"limits": {"nvidia.com/gpu": 8}}})";
  EXPECT_EQ(processes_of(eight), 8);
  EXPECT_EQ(processes_of("{}"), 1);
  EXPECT_EQ(processes_of(eight, {"example.com/npu"}), 1);
  EXPECT_EQ(processes_of(R"({"procPerNode": 2,
                            "resourcesPerNode": {"limits": {"nvidia.com/gpu": 8}}})"),
            2);
}

TEST(Ranks, CountTheAcceleratorsOfEachGroup) {
  const JobSpec spec = spec_of(R"({"procPerNode": 5, "nodeGroups": [
    {"name": "big", "numNodes": 2, "procPerNode": "auto",
     "resourcesPerNode": {"limits": {"nvidia.com/gpu": 8}}},
    {"name": "small", "resourcesPerNode": {"limits": {"nvidia.com/gpu": 4}}},
    {"name": "one", "procPerNode": 1}]})");
  const Ranks ranks = ranks_of(spec, kAccelerators);
  EXPECT_EQ(ranks.num_nodes(), 4);
  EXPECT_EQ(ranks.world_size(), 8 + 8 + 5 + 1);
  const int offsets[] = {0, 8, 16, 21};
  for (int node = 0; node < 4; ++node) EXPECT_EQ(ranks.offset(node), offsets[node]);
  EXPECT_EQ(group_of(spec, 1).name, "big");
  EXPECT_EQ(group_of(spec, 2).name, "small");
  EXPECT_EQ(group_of(spec, 3).name, "one");
}

TEST(Ranks, NumberEveryProcessExactlyOnce) {
  std::mt19937 random(7);
  const auto up_to = [&](int most) { return std::uniform_int_distribution<>(1, most)(random); };
  for (int round = 0; round < 200; ++round) {
    std::vector<Ranks::Group> groups(up_to(5));
    for (Ranks::Group& group : groups) group = {.num_nodes = up_to(9), .proc_per_node = up_to(9)};
    const Ranks ranks(groups);
    std::vector<int> seen;
    for (int node = 0; node < ranks.num_nodes(); ++node) {
      for (int local = 0; local < ranks.processes(node); ++local) {
        seen.push_back(ranks.offset(node) + local);
      }
    }
    std::vector<int> all(ranks.world_size());
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(seen, all);
  }
}

TEST(TrainerContainer, LaysShorthandsOverTheTemplates) {
  const JobSpec spec = spec_of(R"({
    "image": "mine", "args": ["--fast"], 
    "env": [{"name": "B", "value": "spec"}, {"name": "C", "value": "spec"}],
    "resourcesPerNode": {"limits": {"nvidia.com/gpu": 2}},
    "template": {"spec": {"containers": [{"name": "log", "image": "log"},
      {"name": "trainer", "image": "theirs", "command": ["run"], "args": ["--slow"],
       "env": [{"name": "A", "value": "template"}, {"name": "B", "value": "template"}],
       "resources": {"limits": {"memory": "1Gi"}}}]}}})");
  EXPECT_EQ(trainer_container(spec, spec.node_groups.front()), json::parse(R"({
    "name": "trainer", "image": "mine", "command": ["run"], "args": ["--fast"],
    "env": [{"name": "A", "value": "template"}, {"name": "B", "value": "spec"},
            {"name": "C", "value": "spec"}],
    "resources": {"limits": {"memory": "1Gi", "nvidia.com/gpu": 2}}})"));
}

TEST(TrainerContainer, LaysAGroupOverTheJob) {
  const JobSpec spec = spec_of(R"({
    "env": [{"name": "A", "value": "job"}, {"name": "B", "value": "job"}],
    "resourcesPerNode": {"limits": {"nvidia.com/gpu": 8, "memory": "1Ti"}},
    "nodeGroups": [{"name": "old", "env": [{"name": "B", "value": "group"}],
                    "resourcesPerNode": {"limits": {"nvidia.com/gpu": 4}}}]})");
  EXPECT_EQ(trainer_container(spec, spec.node_groups.front()), json::parse(R"({
    "name": "trainer", "env": [{"name": "A", "value": "job"}, {"name": "B", "value": "group"}],
    "resources": {"limits": {"nvidia.com/gpu": 4, "memory": "1Ti"}}})"));
}

TEST(TrainerContainer, RunsOurImageOnlyWhenNobodyNamesOne) {
  EXPECT_TRUE(uses_our_image(spec_of("{}")));
  EXPECT_FALSE(uses_our_image(spec_of(R"({"image": "mine"})")));
  EXPECT_FALSE(uses_our_image(
      spec_of(R"({"template": {"spec": {"containers": [{"name": "trainer", "image": "x"}]}}})")));
}

}  // namespace
}  // namespace lockstep
