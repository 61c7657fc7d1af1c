// Jobs in a Kueue queue: what is asked, what holds them, and what Kueue is told. The expected
// conditions are those that Kueue 0.17's job framework writes for its own kinds.
#include "operator/plan/kueue.h"

#include <gmock/gmock.h>

#include "operator/plan/workload_request.h"
#include "tests/operator/plan/queued_job.h"

namespace lockstep {
namespace {

using nlohmann::json;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

json condition_of_workload(const QueuedJob& job, const std::string& type) {
  for (const json& each : job.stored()["status"]["conditions"]) {
    if (each["type"] == type) return each;
  }
  return nullptr;
}

std::string told(const QueuedJob& job, const std::string& type) {
  const json condition = condition_of_workload(job, type);
  if (condition.is_null()) return "";
  return condition["status"].get<std::string>() + " " + condition["reason"].get<std::string>();
}

const Condition& held(const Plan& plan) { return *plan.status->condition(names::kSuspended); }

TEST(Queue, IsAskedForTheWholeJobBeforeAnythingRuns) {
  QueuedJob job;
  const Plan plan = job.plan();
  EXPECT_THAT(words(plan), ElementsAre("create Workload fashion"));
  EXPECT_EQ(plan.status->phase, Phase::kSuspended);
  EXPECT_EQ(plan.status->attempt, 0);
  EXPECT_EQ(plan.status->display.queue, "vision");
  EXPECT_EQ(held(plan).reason, "WaitingForQuota");
  job.written(plan);
  EXPECT_EQ(job.stored()["spec"]["queueName"], "vision");
  EXPECT_EQ(job.stored()["spec"]["active"], true);
  EXPECT_EQ(job.stored()["metadata"]["ownerReferences"][0]["kind"], "TrainingJob");
  job.written(job.plan());
  EXPECT_TRUE(is_idle(job.plan(1000)));
}

TEST(Queue, HearsOfEachNodeGroupWithoutWhatDiffersBetweenNodes) {
  const auto job = a_job().spec(json::parse(R"({"numNodes": null, "nodeGroups": [
    {"name": "big", "numNodes": 1, "resourcesPerNode": {"limits": {"nvidia.com/gpu": 8}}},
    {"name": "small", "numNodes": 3, "resourcesPerNode": {"limits": {"nvidia.com/gpu": 2}}}]})"));
  const json spec = workload_spec(job.job(), {});
  ASSERT_EQ(spec["podSets"].size(), 2u);
  const json& small = spec["podSets"][1];
  EXPECT_EQ(small["name"], "small");
  EXPECT_EQ(small["count"], 3);
  const json& pod = small["template"]["spec"];
  EXPECT_EQ(pod["containers"][0]["resources"]["limits"]["nvidia.com/gpu"], 2);
  EXPECT_FALSE(pod.contains("hostname"));
  EXPECT_FALSE(pod["containers"][0].contains("env"));
  EXPECT_FALSE(small["template"]["metadata"]["labels"].contains(names::kNodeRank));
}

TEST(Queue, IsAskedForTheSameInEveryAttempt) {
  const JobBuilder hosted = a_job().spec({{"template", {{"spec", {{"hostNetwork", true}}}}}});
  EXPECT_EQ(workload_spec(JobBuilder(hosted).attempt(1).job(), {}),
            workload_spec(JobBuilder(hosted).attempt(7).job(), {}));
  EXPECT_NE(fingerprint(workload_spec(a_job().nodes(2).job(), {})),
            fingerprint(workload_spec(a_job().nodes(3).job(), {})));
}

TEST(Queue, OrdersByThePriorityClassOfTheLabelElseOfThePods) {
  auto labelled = a_job().spec({{"schedulingPolicy", {{"priorityClassName", "urgent"}}}});
  QueuedJob of_pods(labelled);
  of_pods.exists(kPriorityClasses, "urgent", {{"value", 1000}});
  of_pods.written(of_pods.plan());
  EXPECT_EQ(of_pods.stored()["spec"]["priority"], 1000);
  EXPECT_EQ(of_pods.stored()["spec"]["priorityClassRef"],
            json::parse(R"({"group": "scheduling.k8s.io", "kind": "PriorityClass",
                            "name": "urgent"})"));
  QueuedJob of_queue(labelled.label(names::kQueuePriority, "research"));
  of_queue.exists(kWorkloadPriorityClasses, "research", {{"value", -5}});
  of_queue.written(of_queue.plan());
  EXPECT_EQ(of_queue.stored()["spec"]["priority"], -5);
  EXPECT_EQ(of_queue.stored()["spec"]["priorityClassRef"]["kind"], "WorkloadPriorityClass");
}

TEST(Queue, IsNotAskedWhileThePriorityClassDoesNotExist) {
  const QueuedJob job(a_job().label(names::kQueuePriority, "research"));
  const Plan plan = job.plan(10);
  EXPECT_THAT(words(plan), IsEmpty());
  EXPECT_EQ(held(plan).message, "WorkloadPriorityClass research does not exist");
  EXPECT_EQ(plan.look_again, after(40));
}

TEST(Queue, PassesTopologyOn) {
  const auto with = [](const char* annotation, const char* value) {
    return workload_spec(
        a_job()
            .spec({{"template", {{"metadata", {{"annotations", {{annotation, value}}}}}}}})
            .job(),
        {})["podSets"][0]["topologyRequest"];
  };
  EXPECT_EQ(with("kueue.x-k8s.io/podset-required-topology", "example.com/rack"),
            json::parse(R"({"required": "example.com/rack",
                            "podIndexLabel": "batch.kubernetes.io/job-completion-index"})"));
  EXPECT_EQ(with("kueue.x-k8s.io/podset-preferred-topology", "rack")["preferred"], "rack");
  EXPECT_EQ(with("kueue.x-k8s.io/podset-unconstrained-topology", "true")["unconstrained"], true);
}

TEST(Queue, HoldsTheJobWithKueuesOwnWords) {
  QueuedJob job = a_waiting_job();
  job.condition("QuotaReserved", false, "Pending", "insufficient quota for cpu");
  EXPECT_EQ(held(job.plan()).message, "waits in the queue vision: insufficient quota for cpu");
  job.condition("QuotaReserved", true);
  EXPECT_THAT(held(job.plan()).message, HasSubstr("admission checks"));
  EXPECT_EQ(job.plan().status->condition(names::kPodsCreated)->reason, "WaitingForQuota");
  EXPECT_EQ(job.plan().status->display.reason, "WaitingForQuota");
}

TEST(Queue, LetsTheJobBeginWhenItIsAdmitted) {
  QueuedJob job = a_waiting_job();
  const Plan begun = job.admitted().plan(60);
  EXPECT_EQ(begun.status->attempt, 1);
  EXPECT_EQ(begun.status->start_time, after(60));
  EXPECT_FALSE(held(begun).status);
  EXPECT_EQ(held(begun).reason, "JobResumed");
  job.written(begun);
  EXPECT_THAT(words(job.plan(61)), Contains("create fashion-0"));
}

TEST(Queue, GivesThePodsTheMachinesOfTheirQuota) {
  QueuedJob job =
      a_waiting_job(a_job().spec({{"template", {{"spec", {{"nodeSelector", {{"zone", "a"}}}}}}}}));
  job.admitted();
  job.workload(json::parse(R"({"status": {"admissionChecks": [{"name": "provision",
    "podSetUpdates": [{"name": "main", "nodeSelector": {"pool": "p1"},
                       "annotations": {"consume": "r1"}},
                      {"name": "other", "nodeSelector": {"pool": "p2"}}]}]}})"));
  job.written(job.plan());
  const Plan plan = job.plan();
  const json& pod = std::get<Create>(plan.actions.back()).body;
  EXPECT_EQ(pod["spec"]["nodeSelector"],
            json::parse(R"({"zone": "a", "machine": "spot", "pool": "p1"})"));
  EXPECT_EQ(pod["spec"]["tolerations"], json::parse(R"([{"key": "spot"}])"));
  EXPECT_EQ(pod["metadata"]["annotations"]["consume"], "r1");
  EXPECT_EQ(pod["metadata"]["annotations"]["kueue.x-k8s.io/workload"], "fashion");
  EXPECT_EQ(pod["metadata"]["labels"]["kueue.x-k8s.io/podset"], "main");
  EXPECT_FALSE(pod["metadata"]["labels"].contains(names::kQueueName));
  EXPECT_FALSE(pod["spec"].contains("schedulingGates"));
}

TEST(Queue, LeavesThePlaceInATopologyToKueue) {
  QueuedJob job = a_waiting_job();
  job.admitted();
  job.workload(json::parse(R"({"status": {"admission": {"podSetAssignments": [
    {"name": "main", "flavors": {"cpu": "spot"}, "topologyAssignment": {}}]}}})"));
  job.written(job.plan());
  const Plan plan = job.plan();
  EXPECT_EQ(std::get<Create>(plan.actions.back()).body["spec"]["schedulingGates"],
            json::parse(R"([{"name": "kueue.x-k8s.io/topology"}])"));
}

TEST(Queue, WaitsForAFlavorThatDoesNotExist) {
  QueuedJob job = a_waiting_job();
  const Plan plan = job.admitted("gone").plan();
  EXPECT_EQ(held(plan).message, "ResourceFlavor gone does not exist");
  EXPECT_TRUE(plan.look_again);
}

TEST(Queue, IsLeftAloneWhileTheJobRuns) {
  const QueuedJob job = a_running_job();
  EXPECT_TRUE(is_idle(job.plan(10000)));
  EXPECT_THAT(objects_to_read(job.observed()), IsEmpty());
}

TEST(Queue, HearsWhenThePodsRunAndWhenTheyRunAgain) {
  QueuedJob job = a_running_job();
  EXPECT_EQ(told(job, "PodsReady"), "True Started");
  job.job().failed(1, 1);
  job.written(job.plan());
  job.written(job.plan());
  EXPECT_EQ(told(job, "PodsReady"), "False WaitForRecovery");
  EXPECT_EQ(told(job, "Admitted"), "True Because") << "a restart keeps its quota";
  job.job().gone(0).gone(1).running();
  for (int pass = 0; pass < 2; ++pass) job.written(job.plan());
  EXPECT_EQ(told(job, "PodsReady"), "True Recovered");
}

TEST(Eviction, DrainsTheJobAndThenGivesTheQuotaBack) {
  QueuedJob job = a_running_job();
  job.evicted("Preempted");
  const Plan stop = job.plan();
  EXPECT_EQ(stop.status->attempt, 2);
  EXPECT_EQ(stop.status->attempt_cause, AttemptCause::kSuspend);
  EXPECT_EQ(stop.status->restarts, Restarts());
  EXPECT_EQ(held(stop).reason, "Evicted");
  EXPECT_EQ(held(stop).message, "it gave way to another");
  job.written(stop);
  const Plan drain = job.plan();
  EXPECT_THAT(words(drain), ElementsAre("delete fashion-0", "delete fashion-1"));
  EXPECT_EQ(told(job, "QuotaReserved"), "True Because") << "pods still use it";

  job.job().gone(0).gone(1);
  job.written(job.plan(30));
  EXPECT_EQ(told(job, "QuotaReserved"), "False Pending");
  EXPECT_EQ(told(job, "Admitted"), "False NoReservation");
  EXPECT_EQ(told(job, "Requeued"), "True Preempted");
  EXPECT_EQ(told(job, "Evicted"), "True Preempted");
  EXPECT_EQ(condition_of_workload(job, "QuotaReserved")["lastTransitionTime"],
            format_time(after(30)));
  EXPECT_FALSE(job.stored()["status"].contains("admission"));
  job.written(job.plan(31));
  EXPECT_EQ(told(job, "PodsReady"), "False WaitForStart");
  job.written(job.plan(32));
  EXPECT_TRUE(is_idle(job.plan(33)));

  const Plan resumed = job.admitted().plan(600);
  EXPECT_EQ(resumed.status->attempt, 2);
  EXPECT_EQ(resumed.status->start_time, after(600));
}

TEST(Eviction, ThatTheJobCausedLeavesTheQueueingToKueue) {
  for (const auto& [reason, requeued] : {std::pair("PodsReadyTimeout", "False PodsReadyTimeout"),
                                         std::pair("NodeFailures", "True NodeFailures"),
                                         std::pair("Deactivated", "False Deactivated")}) {
    QueuedJob job = a_running_job();
    job.evicted(reason);
    job.job().gone(0).gone(1);
    job.written(job.plan());
    job.written(job.plan());
    EXPECT_EQ(told(job, "Requeued"), requeued);
  }
}

TEST(Eviction, LeavesAJobComplete) {
  QueuedJob job = a_running_job();
  job.evicted("Preempted");
  job.job().succeeded(0).succeeded(1);
  const Plan plan = job.plan();
  EXPECT_TRUE(plan.status->is(names::kComplete));
  job.written(plan).written(job.plan());
  EXPECT_EQ(told(job, "Finished"), "True Succeeded");
}

TEST(Queue, HearsHowTheJobEnded) {
  QueuedJob job = a_running_job();
  job.job().spec({{"runPolicy", {{"backoffLimit", 0}}}}).failed(1, 1);
  job.written(job.plan());
  job.written(job.plan());
  EXPECT_EQ(told(job, "Finished"), "") << "a node still runs";
  job.job().gone(0);
  job.written(job.plan());
  EXPECT_EQ(told(job, "Finished"), "True Failed");
  EXPECT_THAT(condition_of_workload(job, "Finished")["message"].get<std::string>(),
              HasSubstr("backoffLimit"));
  EXPECT_TRUE(is_idle(job.plan()));
}

TEST(Queue, IsLeftForTheTimeThatTheUserSuspendsTheJob) {
  QueuedJob job = a_running_job();
  job.job().spec({{"runPolicy", {{"suspend", true}}}});
  const Plan plan = job.plan();
  EXPECT_EQ(held(plan).reason, "JobSuspended");
  job.written(plan);
  EXPECT_EQ(job.stored()["spec"]["active"], false);
  job.job().spec({{"runPolicy", {{"suspend", false}}}});
  job.written(job.plan());
  EXPECT_EQ(job.stored()["spec"]["active"], true);
  EXPECT_FALSE(job.stored()["metadata"]["annotations"].contains(names::kSuspendedByUser));
}

TEST(Queue, IsNotEnteredByAJobThatBeginsSuspended) {
  QueuedJob job(a_job().spec({{"runPolicy", {{"suspend", true}}}}));
  job.written(job.plan());
  EXPECT_EQ(job.stored()["spec"]["active"], false);
}

TEST(Queue, StaysLeftWhenSomebodyElseDeactivatedTheWorkload) {
  QueuedJob job = a_waiting_job();
  job.workload({{"spec", {{"active", false}}}}).evicted("Deactivated");
  const Plan plan = job.plan();
  EXPECT_THAT(plan.actions, IsEmpty());
  EXPECT_EQ(held(plan).reason, "Evicted");
}

TEST(Queue, IsAskedAnewInPlaceWhenAWaitingJobChanges) {
  QueuedJob job = a_waiting_job();
  job.job().spec({{"template", {{"spec", {{"nodeSelector", {{"zone", "b"}}}}}}}});
  const Plan plan = job.plan();
  ASSERT_EQ(plan.actions.size(), 1u);
  const auto& change = std::get<Patch>(plan.actions[0]);
  EXPECT_EQ(change.change["metadata"]["resourceVersion"], "1");
  job.written(plan);
  EXPECT_EQ(job.stored()["spec"]["podSets"][0]["template"]["spec"]["nodeSelector"]["zone"], "b");
  EXPECT_THAT(job.plan().actions, IsEmpty());

  QueuedJob running = a_running_job();
  running.job().spec({{"template", {{"spec", {{"nodeSelector", {{"zone", "b"}}}}}}}});
  EXPECT_THAT(running.plan().actions, IsEmpty()) << "what holds quota keeps it";
}

TEST(Queue, IsAskedAgainOnlyWhenThePodsOfALostWorkloadAreGone) {
  QueuedJob job = a_running_job();
  json conditions = to_json(job.job().job().status)["conditions"];
  conditions.push_back({{"type", "Suspended"}, {"status", "False"}, {"reason", "JobResumed"}});
  job.job().status({{"conditions", conditions}});
  job.workload({{"metadata", nullptr}});
  job.written(job.plan());
  EXPECT_THAT(words(job.plan()), ElementsAre("delete fashion-0", "delete fashion-1"));
  job.job().gone(0).gone(1);
  EXPECT_THAT(words(job.plan()), ElementsAre("create Workload fashion"));
}

TEST(Queue, IsNotAskedForAJobThatGotItsLabelWhileItRan) {
  QueuedJob job = a_running_job();
  job.workload({{"metadata", nullptr}});
  EXPECT_TRUE(is_idle(job.plan()));
}

TEST(Queue, GetsTheQuotaBackAlsoFromAJobThatLostItsLabel) {
  QueuedJob job = a_running_job();
  job.job().metadata({{"labels", nullptr}});
  EXPECT_THAT(job.plan().actions, IsEmpty()) << "it keeps what it has until it ends";
  job.job().succeeded(0).succeeded(1);
  job.written(job.plan());
  job.written(job.plan());
  EXPECT_EQ(told(job, "Finished"), "True Succeeded");
}

TEST(Queue, WaitsAfterARefusalWithoutForgettingIt) {
  QueuedJob job;
  Observed refused = job.observed();
  refused.refused.push_back(
      {0, "Workload fashion", Refusal::kNameTaken, "it exists and has another owner"});
  const Plan plan = decide(refused, after(10));
  EXPECT_THAT(words(plan), IsEmpty());
  EXPECT_EQ(held(plan).reason, "CreateRefused");
  job.written(plan);
  EXPECT_TRUE(is_idle(job.plan(20)));
  EXPECT_EQ(job.plan(20).look_again, after(40));
  EXPECT_THAT(words(job.plan(41)), ElementsAre("create Workload fashion"));
}

TEST(Queue, ThatNobodyServesHoldsTheJobAndSaysSo) {
  QueuedJob job;
  job.without_kueue();
  const Plan plan = job.plan();
  EXPECT_THAT(words(plan), IsEmpty());
  EXPECT_EQ(plan.status->condition(names::kPodsCreated)->reason, "NoKueue");
  EXPECT_THAT(plan.status->condition(names::kPodsCreated)->message, HasSubstr("kueue.enabled"));

  QueuedJob running = a_running_job();
  running.without_kueue();
  EXPECT_TRUE(is_idle(running.plan())) << "what runs already is left alone";
}

TEST(Queue, IsNoMatterOfAJobWithoutTheLabel) {
  Observed seen = a_job().observed();
  seen.platform.has_kueue = true;
  const Plan plan = decide(seen, after(10));
  EXPECT_EQ(plan.status->attempt, 1);
  EXPECT_EQ(plan.status->display.queue, "");
}

}  // namespace
}  // namespace lockstep
