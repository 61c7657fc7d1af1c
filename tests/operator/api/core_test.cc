// Pods as the API server sends them.
#include "operator/api/core.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

using nlohmann::json;

TEST(Pod, IsReadFromWhatAKubeletWrites) {
  const json object = json::parse(R"({
    "metadata": {"name": "fashion-1", "namespace": "ml", "uid": "u1", "resourceVersion": "7",
                 "labels": {"lockstep.dev/attempt": "2"},
                 "deletionTimestamp": "2026-01-02T03:04:05Z",
                 "deletionGracePeriodSeconds": 30},
    "spec": {"nodeName": "worker-3"},
    "status": {"phase": "Failed", "reason": "Evicted", "message": "low on memory",
      "conditions": [{"type": "DisruptionTarget", "status": "True",
                      "reason": "TerminationByKubelet"}],
      "initContainerStatuses": [{"name": "copy", "state": {"waiting": {"reason": "ErrImagePull"}}}],
      "containerStatuses": [{"name": "trainer", "ready": false, "state": {"terminated": {
        "exitCode": 137, "signal": 9, "reason": "OOMKilled", "message": "bye",
        "startedAt": "2026-01-02T03:00:00Z", "finishedAt": "2026-01-02T03:04:00Z"}}}]}})");
  const Pod pod = parse_pod(object).value();
  EXPECT_EQ(pod.meta.key(), (ObjectKey{"ml", "fashion-1"}));
  EXPECT_EQ(pod.meta.labels.at("lockstep.dev/attempt"), "2");
  EXPECT_EQ(pod.meta.deletion_grace_seconds, 30);
  EXPECT_EQ(pod.node_name, "worker-3");
  EXPECT_EQ(pod.reason, "Evicted");
  ASSERT_EQ(pod.conditions.size(), 1u);
  EXPECT_TRUE(pod.conditions[0].status);
  EXPECT_EQ(pod.init_containers.at(0).waiting_reason, "ErrImagePull");
  const ContainerState& trainer = pod.containers.at(0);
  ASSERT_TRUE(trainer.terminated);
  EXPECT_EQ(trainer.terminated->exit_code, 137);
  EXPECT_EQ(trainer.terminated->reason, "OOMKilled");
  EXPECT_EQ(trainer.started, parse_time("2026-01-02T03:00:00Z"));
}

TEST(Pod, ReadsFieldsOfTheWrongTypeAsAbsent) {
  const json object = json::parse(R"({
    "metadata": {"name": "a", "uid": "u", "labels": [1], "deletionGracePeriodSeconds": "x"},
    "spec": [], 
    "status": {"phase": 7, "conditions": {}, "containerStatuses": [null, {"state": 3}]}})");
  const Pod pod = parse_pod(object).value();
  EXPECT_EQ(pod.phase, "");
  EXPECT_EQ(pod.containers.size(), 2u);
  EXPECT_FALSE(pod.containers[1].terminated);
}

TEST(Companion, OfKueueSaysWhatKueueAnswered) {
  const json object = json::parse(R"({
    "metadata": {"name": "fashion", "uid": "u"}, "spec": {"active": false},
    "status": {"admission": {"clusterQueue": "all"}, "conditions": [null,
      {"type": "Admitted", "status": "True", "reason": "Admitted", "message": "it is"}]}})");
  const Workload workload = *parse_companion(kWorkloads, object).value().workload;
  EXPECT_FALSE(workload.is_active);
  EXPECT_TRUE(workload.is(kueue::kAdmitted));
  EXPECT_EQ(workload.message(kueue::kAdmitted), "it is");
  EXPECT_FALSE(workload.is(kueue::kEvicted));
  EXPECT_EQ(workload.admission["clusterQueue"], "all");
  EXPECT_FALSE(parse_companion(kServices, object).value().workload);
  EXPECT_TRUE(parse_workload(json::object()).is_active);
}

}  // namespace
}  // namespace lockstep
