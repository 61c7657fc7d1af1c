// Process counts and the numbering of ranks.
#include "operator/plan/ranks.h"

#include <gtest/gtest.h>

#include <set>

#include "operator/plan/desired.h"
#include "operator/plan/trainer_container.h"

namespace lockstep {
namespace {

using nlohmann::json;

const std::vector<std::string> kAccelerators = PodDefaults::default_accelerators();

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
      {R"({"nvidia.com/gpu": 1e9})", 0}};
  for (const auto& [limits, count] : cases) {
    const json container = {{"resources", {{"limits", json::parse(limits)}}}};
    EXPECT_EQ(count_accelerators(container, kAccelerators), count) << limits;
  }
}

TEST(Ranks, TakeProcessesFromTheSpecFirst) {
  const json eight = {{"resources", {{"limits", {{"nvidia.com/gpu", 8}}}}}};
  JobSpec spec;
  EXPECT_EQ(ranks_of(spec, eight, kAccelerators).proc_per_node, 8);
  EXPECT_EQ(ranks_of(spec, json::object(), kAccelerators).proc_per_node, 1);
  EXPECT_EQ(ranks_of(spec, eight, {"example.com/npu"}).proc_per_node, 1);
  spec.proc_per_node = 2;
  EXPECT_EQ(ranks_of(spec, eight, kAccelerators).proc_per_node, 2);
}

TEST(Ranks, NumberEveryProcessExactlyOnce) {
  for (int nodes = 1; nodes <= 9; ++nodes) {
    for (int processes = 1; processes <= 9; ++processes) {
      const Ranks ranks{nodes, processes};
      std::set<int> seen;
      for (int node = 0; node < nodes; ++node) {
        for (int local = 0; local < processes; ++local) seen.insert(ranks.offset(node) + local);
      }
      EXPECT_EQ(static_cast<int>(seen.size()), ranks.world_size());
      EXPECT_EQ(*seen.begin(), 0);
      EXPECT_EQ(*seen.rbegin(), ranks.world_size() - 1);
    }
  }
}

TEST(TrainerContainer, LaysShorthandsOverTheTemplates) {
  const JobSpec spec = parse_spec(json::parse(R"({
    "image": "mine", "args": ["--fast"], 
    "env": [{"name": "B", "value": "spec"}, {"name": "C", "value": "spec"}],
    "resourcesPerNode": {"limits": {"nvidia.com/gpu": 2}},
    "template": {"spec": {"containers": [{"name": "log", "image": "log"},
      {"name": "trainer", "image": "theirs", "command": ["run"], "args": ["--slow"],
       "env": [{"name": "A", "value": "template"}, {"name": "B", "value": "template"}],
       "resources": {"limits": {"memory": "1Gi"}}}]}}})"))
                           .value();
  EXPECT_EQ(trainer_container(spec), json::parse(R"({
    "name": "trainer", "image": "mine", "command": ["run"], "args": ["--fast"],
    "env": [{"name": "A", "value": "template"}, {"name": "B", "value": "spec"},
            {"name": "C", "value": "spec"}],
    "resources": {"limits": {"memory": "1Gi", "nvidia.com/gpu": 2}}})"));
}

TEST(TrainerContainer, RunsOurImageOnlyWhenNobodyNamesOne) {
  EXPECT_TRUE(uses_our_image(parse_spec(json::object()).value()));
  EXPECT_FALSE(uses_our_image(parse_spec({{"image", "mine"}}).value()));
  EXPECT_FALSE(uses_our_image(
      parse_spec(
          json::parse(
              R"({"template": {"spec": {"containers": [{"name": "trainer", "image": "x"}]}}})"))
          .value()));
}

}  // namespace
}  // namespace lockstep
