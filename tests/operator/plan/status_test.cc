// Counts, conditions and columns, from what pods show.
#include "operator/plan/status.h"

#include <gmock/gmock.h>

#include "operator/api/names.h"
#include "tests/support/job_builder.h"

namespace lockstep {
namespace {

using nlohmann::json;
using testing::HasSubstr;

JobStatus status_of(const JobBuilder& job) {
  const Observed seen = job.observed();
  return with_observations(seen.job.status, seen, sort_nodes(seen.job, seen.pods), after(5));
}

json waiting(const char* reason, const char* message) {
  return {
      {"status",
       {{"containerStatuses",
         json::array({{{"name", "trainer"},
                       {"state", {{"waiting", {{"reason", reason}, {"message", message}}}}}}})}}}};
}

TEST(Status, CountsEveryNodeOnce) {
  const auto job =
      a_job().nodes(5).running().succeeded(0).failed(1).gone(2).pod(3, waiting("X", "x"));
  const JobStatus status = status_of(job);
  EXPECT_EQ(status.nodes,
            (NodeCounts{.desired = 5, .pending = 2, .ready = 1, .succeeded = 1, .failed = 1}));
  EXPECT_EQ(status.display.nodes, "2/5");
}

TEST(Status, NamesWorldAndMaster) {
  const JobStatus status = status_of(a_job().nodes(3).spec({{"procPerNode", 4}}).attempt(1));
  EXPECT_EQ(status.world_size, 12);
  EXPECT_EQ(status.master_address, "fashion-0.fashion.ml.svc");
}

TEST(Status, IsRunningOnlyWhenAllNodesRun) {
  const auto job = a_job().attempt(1).status({{"podsCreated", true}});
  EXPECT_EQ(status_of(JobBuilder(job).started(0).scheduled(1)).phase, Phase::kStarting);
  EXPECT_EQ(status_of(JobBuilder(job).started(0).started(1)).phase, Phase::kRunning);
  EXPECT_EQ(status_of(JobBuilder(job).succeeded(0).started(1)).phase, Phase::kRunning);
}

TEST(Status, RepeatsTheSchedulersWords) {
  const json unschedulable =
      json::parse(R"({"spec": {"nodeName": null}, "status": {"conditions": [{"type": "PodScheduled",
    "status": "False", "reason": "Unschedulable",
    "message": "0/1 nodes are available: 1 Insufficient nvidia.com/gpu."}]}})");
  const JobStatus status = status_of(
      a_job().attempt(1).status({{"podsCreated", true}}).started(0).pod(1, unschedulable));
  EXPECT_EQ(status.phase, Phase::kPending);
  EXPECT_EQ(status.display.reason, "Unschedulable");
  EXPECT_EQ(status.condition(names::kRunning)->message,
            "pod fashion-1: 0/1 nodes are available: 1 Insufficient nvidia.com/gpu.");
}

TEST(Status, RepeatsTheKubeletsWords) {
  const JobStatus status =
      status_of(a_job()
                    .attempt(1)
                    .status({{"podsCreated", true}})
                    .started(0)
                    .pod(1, waiting("ImagePullBackOff", "Back-off pulling image \"typo:1\"")));
  EXPECT_EQ(status.phase, Phase::kStarting);
  EXPECT_EQ(status.display.reason, "ImagePullBackOff");
  EXPECT_THAT(why_not_running(status),
              HasSubstr("pod fashion-1: Back-off pulling image \"typo:1\""));
}

TEST(Status, KeepsTheReasonOfAFailedPullWhileTheKubeletPauses) {
  JobBuilder job = a_job()
                       .attempt(1)
                       .status({{"podsCreated", true}})
                       .scheduled(0)
                       .scheduled(1)
                       .pod(0, waiting("ErrImagePull", "typo:1: not found"));
  job.status(to_json(status_of(job)));
  EXPECT_EQ(job.job().status.display.reason, "ErrImagePull");
  job.pod(0, waiting("ImagePullBackOff", "Back-off pulling image"));
  EXPECT_EQ(status_of(job), job.job().status) << "nothing to write";
  job.pod(0, waiting("CreateContainerConfigError", "no such ConfigMap"));
  EXPECT_EQ(status_of(job).display.reason, "CreateContainerConfigError");
}

TEST(Status, StaysRunningUntilTheAttemptEnds) {
  EXPECT_EQ(status_of(a_job().running().failed(1)).phase, Phase::kRunning)
      << "while the loss settles";
}

TEST(Status, OfANewAttemptHasNoPodsYet) {
  const Observed seen = a_job().running().observed();
  JobStatus status = seen.job.status;
  status.attempt = 2;
  status.pods_created = false;
  status = with_observations(status, seen, sort_nodes(seen.job, seen.pods), after(5));
  EXPECT_EQ(status.nodes.ready, 0);
  EXPECT_FALSE(status.is(names::kRunning));
  EXPECT_FALSE(status.is(names::kPodsCreated));
}

}  // namespace
}  // namespace lockstep
