// The objects of a job besides its pods, against golden files written by hand.
#include "operator/plan/companions.h"

#include <gmock/gmock.h>

#include "operator/plan/desired_pod.h"
#include "tests/operator/plan/golden.h"
#include "tests/operator/plan/planned.h"

namespace lockstep {
namespace {

using nlohmann::json;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

Platform with_every_scheduler() {
  Platform platform;
  platform.volcano = kVolcanoPodGroups;
  platform.coscheduling = kCoschedulingPodGroups;
  platform.native = kNativePodGroups[0];
  return platform;
}

std::vector<std::string> kinds(const JobBuilder& job, const Platform& platform = {}) {
  std::vector<std::string> kinds;
  for (const Create& companion : desired_companions(job.job(), platform)) {
    kinds.push_back(companion.body["apiVersion"].get<std::string>() + " " +
                    companion.body["kind"].get<std::string>());
  }
  return kinds;
}

JobBuilder with_gang(const std::string& gang, const std::string& scheduler = "") {
  JobBuilder job = a_job().nodes(3).spec({{"schedulingPolicy", {{"gang", gang}}}});
  if (!scheduler.empty()) job.spec({{"template", {{"spec", {{"schedulerName", scheduler}}}}}});
  return job;
}

TEST(Companions, AreTheServiceAndTheNetworkPolicy) {
  const auto companions = desired_companions(a_job().job(), {});
  ASSERT_EQ(companions.size(), 2u);
  EXPECT_EQ(companions[0].body, golden("service.json"));
  EXPECT_EQ(companions[1].body, golden("network_policy.json"));
  EXPECT_THAT(kinds(a_job().spec({{"networkPolicy", "None"}})), ElementsAre("v1 Service"));
}

TEST(Companions, IncludeThePodGroupOfTheScheduler) {
  const std::tuple<const char*, const char*, const char*> cases[] = {
      {"Volcano", "", "scheduling.volcano.sh/v1beta1 PodGroup"},
      {"Coscheduling", "mine", "scheduling.x-k8s.io/v1alpha1 PodGroup"},
      {"Native", "", "scheduling.k8s.io/v1beta1 PodGroup"},
      {"Auto", "", "scheduling.k8s.io/v1beta1 PodGroup"},
      {"Auto", "volcano", "scheduling.volcano.sh/v1beta1 PodGroup"},
      {"Auto", "mine", "scheduling.x-k8s.io/v1alpha1 PodGroup"}};
  for (const auto& [gang, scheduler, kind] : cases) {
    EXPECT_EQ(kinds(with_gang(gang, scheduler), with_every_scheduler()).back(), kind) << gang;
  }
  EXPECT_EQ(kinds(with_gang("None"), with_every_scheduler()).size(), 2u);
}

TEST(Companions, SizeThePodGroupByTheJob) {
  const auto spec_of = [](const char* gang) {
    const auto job = with_gang(gang).spec(json::parse(R"({"schedulingPolicy": {"queue": "vision",
      "priorityClassName": "urgent", "scheduleTimeoutSeconds": 90}})"));
    return desired_companions(job.job(), with_every_scheduler()).back().body["spec"];
  };
  EXPECT_EQ(spec_of("Volcano"),
            json::parse(R"({"minMember": 3, "queue": "vision", "priorityClassName": "urgent"})"));
  EXPECT_EQ(spec_of("Coscheduling"),
            json::parse(R"({"minMember": 3, "scheduleTimeoutSeconds": 90})"));
  EXPECT_EQ(spec_of("Native"), json::parse(R"({"schedulingPolicy": {"gang": {"minCount": 3}},
                                               "priorityClassName": "urgent"})"));
}

TEST(PodGroup, IsNamedByEveryPod) {
  const auto pod = [](const JobBuilder& job) {
    return desired_pod(job.job(), 1, with_every_scheduler());
  };
  const json volcano = pod(with_gang("Volcano"));
  EXPECT_EQ(volcano["metadata"]["annotations"]["scheduling.k8s.io/group-name"], "fashion");
  EXPECT_EQ(volcano["spec"]["schedulerName"], "volcano");
  const json coscheduling = pod(with_gang("Coscheduling", "mine"));
  EXPECT_EQ(coscheduling["metadata"]["labels"]["scheduling.x-k8s.io/pod-group"], "fashion");
  EXPECT_EQ(coscheduling["spec"]["schedulerName"], "mine");
  const json native = pod(with_gang("Native"));
  EXPECT_EQ(native["spec"]["schedulingGroup"]["podGroupName"], "fashion");
  EXPECT_FALSE(pod(with_gang("None"))["spec"].contains("schedulingGroup"));
}

TEST(PodGroup, ThatIsNotServedOnlySwitchesTheGangOff) {
  for (const char* gang : {"Volcano", "Coscheduling", "Native", "Auto"}) {
    const JobBuilder job = with_gang(gang).attempt(1);
    const Plan plan = plan_for(job);
    EXPECT_THAT(words(plan),
                ElementsAre("create Service fashion", "create NetworkPolicy fashion",
                            "create fashion-0", "create fashion-1", "create fashion-2"));
    const Condition* condition = plan.status->condition("GangScheduled");
    ASSERT_TRUE(condition);
    EXPECT_FALSE(condition->status);
    EXPECT_THAT(condition->message, HasSubstr(gang));
    EXPECT_THAT(event_reasons(plan), Contains("NoPodGroups"));
  }
}

TEST(PodGroup, IsKeptAcrossAttempts) {
  JobBuilder job = with_gang("Native").running();
  Observed seen = job.failed(1, 1).observed();
  seen.platform = with_every_scheduler();
  for (const Create& each : desired_companions(seen.job, seen.platform)) {
    if (each.resource == kNativePodGroups[0]) {
      json stored = each.body;
      stored["metadata"]["uid"] = "group";
      seen.companions.push_back(parse_companion(each.resource, stored).value());
    }
  }
  const Plan restart = decide(seen, after(10));
  EXPECT_EQ(restart.status->attempt, 2);
  EXPECT_TRUE(restart.actions.empty());
  const Observed next = [&] {
    Observed later = written(job, restart).observed();
    later.platform = seen.platform;
    later.companions = seen.companions;
    later.pods.clear();
    return later;
  }();
  EXPECT_THAT(words(decide(next, after(20))),
              ElementsAre("create fashion-0", "create fashion-1", "create fashion-2"));
}

}  // namespace
}  // namespace lockstep
