// The policy: what is seen, and the plan that follows.
#include "operator/plan/decide.h"

#include <gmock/gmock.h>

#include "operator/api/names.h"
#include "tests/operator/plan/planned.h"

namespace lockstep {
namespace {

using nlohmann::json;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Decide, LeavesAJobAloneThatIsBeingDeletedOrManagedByAnother) {
  Observed deleted = a_job().observed();
  deleted.job.meta.deletion_time = kNoon;
  EXPECT_TRUE(is_idle(decide(deleted, kNoon)));
  EXPECT_TRUE(is_idle(
      plan_for(a_job().spec({{"runPolicy", {{"managedBy", "kueue.x-k8s.io/multikueue"}}}}))));
  EXPECT_FALSE(
      is_idle(plan_for(a_job().spec({{"runPolicy", {{"managedBy", names::kOurManager}}}}))));
}

TEST(Decide, RecordsTheFirstAttemptBeforeItCreatesAnything) {
  const Plan plan = plan_for(a_job());
  ASSERT_TRUE(plan.status);
  EXPECT_THAT(words(plan), IsEmpty());
  EXPECT_EQ(plan.status->attempt, 1);
  EXPECT_EQ(plan.status->image, "lockstep/trainer:1");
  EXPECT_EQ(plan.status->start_time, after(10));
  EXPECT_EQ(plan.status->phase, Phase::kPending);
  EXPECT_THAT(event_reasons(plan), ElementsAre("NoCheckpoints", "NoAccelerators"));
}

TEST(Decide, RecordsNoImageWhenTheJobNamesOne) {
  EXPECT_EQ(plan_for(a_job().spec({{"image", "mine"}})).status->image, "");
}

TEST(Decide, CreatesTheServiceAndTheMissingPods) {
  EXPECT_THAT(words(plan_for(a_job().nodes(3).attempt(1))),
              ElementsAre("create Service fashion", "create NetworkPolicy fashion",
                          "create fashion-0", "create fashion-1", "create fashion-2"));
  EXPECT_THAT(words(plan_for(a_job().nodes(3).attempt(1).with_companions().scheduled(1))),
              ElementsAre("create fashion-0", "create fashion-2"));
}

TEST(Decide, NotesOnceThatEveryPodWasSeen) {
  const Plan plan = plan_for(a_job().attempt(1).with_companions().scheduled(0).scheduled(1));
  EXPECT_TRUE(plan.status->pods_created);
  EXPECT_EQ(plan.status->phase, Phase::kStarting);
  EXPECT_THAT(words(plan), IsEmpty());
}

TEST(Decide, NeverCreatesAPodAgainThatWasSeen) {
  Observed seen = a_job().running().gone(1).observed();
  seen.gone_ranks.clear();  // not confirmed
  EXPECT_THAT(words(decide(seen, after(10))), IsEmpty());
}

TEST(Decide, HasNothingToDoForAJobThatRuns) {
  const JobBuilder job = a_job().running();
  const JobBuilder settled = written(job, plan_for(job));
  EXPECT_TRUE(is_idle(plan_for(settled)));
  EXPECT_TRUE(is_idle(plan_for(settled, 100000)));
  EXPECT_FALSE(plan_for(settled).look_again);
}

TEST(Decide, RestartsAllNodesWhenOneFailsWithBudgetLeft) {
  const JobBuilder job = a_job().running().failed(1, 3);
  const Plan plan = plan_for(job);
  ASSERT_TRUE(plan.status);
  EXPECT_THAT(words(plan), IsEmpty()) << "the attempt is raised before anything is deleted";
  EXPECT_EQ(plan.status->attempt, 2);
  EXPECT_EQ(plan.status->attempt_cause, AttemptCause::kFailure);
  EXPECT_EQ(plan.status->phase, Phase::kRestarting);
  EXPECT_EQ(plan.status->last_failure->node_rank, 1);
  EXPECT_EQ(plan.status->last_failure->exit_code, 3);
  EXPECT_THAT(event_reasons(plan), ElementsAre("NodeFailed"));

  const Plan next = plan_for(written(job, plan));
  EXPECT_THAT(words(next), ElementsAre("delete fashion-0", "delete fashion-1"));
  EXPECT_EQ(std::get<DeletePod>(next.actions[0]).grace_seconds, 10);
  EXPECT_EQ(std::get<DeletePod>(next.actions[0]).uid, "uid-of-fashion-0");
  EXPECT_EQ(written(job, plan).job().status.attempt, 2);
}

TEST(Decide, LetsADisruptedGangSaveItsCheckpoint) {
  const JobBuilder job = a_job().running().evicted(1);
  const Plan plan = plan_for(job);
  EXPECT_EQ(plan.status->attempt_cause, AttemptCause::kDisruption);
  EXPECT_EQ(plan.status->restarts.failures, 0);
  EXPECT_THAT(event_reasons(plan), ElementsAre("NodeDisrupted"));
  const Plan next = plan_for(written(job, plan));
  EXPECT_EQ(std::get<DeletePod>(next.actions[0]).grace_seconds, std::nullopt);
}

TEST(Decide, StartsTheNextAttemptOnlyWhenEveryOldPodIsGone) {
  auto job = a_job().running().terminating(0).terminating(1);
  job.status({{"attempt", 2}, {"podsCreated", false}, {"attemptCause", "Failure"}});
  const Plan draining = plan_for(job);
  EXPECT_THAT(words(draining), IsEmpty()) << "they are on their way";
  EXPECT_EQ(draining.look_again, after(60 + 120));
  job.gone(0);
  EXPECT_THAT(words(plan_for(job)), IsEmpty());
  job.gone(1);
  EXPECT_THAT(words(plan_for(job)), ElementsAre("create fashion-0", "create fashion-1"));
}

TEST(Decide, ForcesAPodThatIsStuckAndNamesItsMachine) {
  auto job =
      a_job().running().gone(0).terminating(1).status({{"attempt", 2}, {"podsCreated", false}});
  const Plan plan = plan_for(job, 180);
  EXPECT_THAT(words(plan), ElementsAre("delete fashion-1"));
  EXPECT_EQ(std::get<DeletePod>(plan.actions[0]).grace_seconds, 0);
  ASSERT_THAT(event_reasons(plan), Contains("ForcedDeletion"));
  EXPECT_THAT(plan.events.back().message, HasSubstr("worker-1"));
  job.pod(1, {{"metadata", {{"deletionGracePeriodSeconds", 0}}}});
  EXPECT_THAT(words(plan_for(job, 180)), IsEmpty()) << "once is enough";
}

TEST(Decide, WaitsForTheBackoff) {
  const auto job =
      a_job()
          .attempt(3)
          .status({{"nextRestartTime", format_time(after(20))}, {"attemptCause", "Failure"}})
          .with_companions();
  const Plan early = plan_for(job, 19);
  EXPECT_THAT(words(early), IsEmpty());
  EXPECT_EQ(early.look_again, after(20));
  EXPECT_EQ(early.status->display.reason, "WaitingForBackoff");
  EXPECT_THAT(words(plan_for(job, 20)), ElementsAre("create fashion-0", "create fashion-1"));
}

TEST(Decide, FailsTheJobWhenTheBudgetIsSpent) {
  const auto job =
      a_job().running().status({{"restarts", {{"failures", 3}}}}).failed(1, 3, 0, "boom");
  const Plan plan = plan_for(job);
  ASSERT_TRUE(plan.status);
  EXPECT_EQ(plan.status->phase, Phase::kFailed);
  EXPECT_EQ(plan.status->attempt, 1);
  EXPECT_EQ(plan.status->completion_time, after(10));
  EXPECT_EQ(plan.status->condition(names::kFailed)->reason, "BackoffLimitExceeded");
  EXPECT_THAT(plan.status->condition(names::kFailed)->message,
              HasSubstr("node 1 (pod fashion-1 on worker-1) exited with 3: boom"));
  EXPECT_EQ(plan.status->last_failure->message, "boom");
  EXPECT_THAT(words(plan_for(written(job, plan))), ElementsAre("delete fashion-0"));
}

TEST(Decide, FailsTheJobAtOnceWhenItsCommandDoesNotExist) {
  const auto job = a_job()
                       .attempt(1)
                       .with_companions()
                       .status({{"podsCreated", true}})
                       .failed(0, 128, 0, "exec: \"lunch\": not found", "StartError")
                       .failed(1, 128, 0, "exec: \"lunch\": not found", "StartError");
  const Plan plan = plan_for(job);
  EXPECT_EQ(plan.status->phase, Phase::kFailed);
  EXPECT_EQ(plan.status->condition(names::kFailed)->reason, "PermanentFailure");
  EXPECT_THAT(plan.status->condition(names::kFailed)->message,
              HasSubstr("exec: \"lunch\": not found"));
}

TEST(Decide, SettlesBeforeItBlamesANodeThatOnlyLostAPeer) {
  const auto job = a_job().running().failed(0, 75, 10);
  EXPECT_EQ(plan_for(job, 11).look_again, after(70));
  EXPECT_EQ(plan_for(job, 11).status->attempt, 1);
  EXPECT_EQ(plan_for(JobBuilder(job).evicted(1), 12).status->attempt_cause,
            AttemptCause::kDisruption);
  const Plan charged = plan_for(job, 70);
  EXPECT_EQ(charged.status->attempt, 2);
  EXPECT_EQ(charged.status->restarts.failures, 1);
}

TEST(Decide, MovesTheChargeWhenTheDisruptionShowsUpLate) {
  auto job = a_job().running().failed(0, 1);
  job = written(job, plan_for(job));
  EXPECT_EQ(job.job().status.restarts.failures, 1);
  const Plan plan = plan_for(job.evicted(1));
  ASSERT_TRUE(plan.status);
  EXPECT_EQ(plan.status->restarts, (Restarts{.failures = 0, .disruptions = 1, .consecutive = 1}));
  EXPECT_EQ(plan.status->attempt_cause, AttemptCause::kDisruption);
  const Plan again = plan_for(written(job, plan));
  EXPECT_FALSE(again.status) << "once";
}

TEST(Decide, CompletesWhenAllNodesSucceededWhateverElseIsDue) {
  const auto job =
      a_job().running().succeeded(0).succeeded(1).spec({{"runPolicy", {{"suspend", true}}}});
  const Plan plan = plan_for(job, 100000);
  EXPECT_EQ(plan.status->phase, Phase::kSucceeded);
  EXPECT_EQ(plan.status->completion_time, after(101)) << "when the last node finished";
  EXPECT_EQ(plan.status->display.nodes, "2/2");
  EXPECT_EQ(plan.status->display.reason, "");
  EXPECT_THAT(event_reasons(plan), ElementsAre("AllNodesSucceeded"));
  EXPECT_TRUE(is_idle(plan_for(written(job, plan))));
}

TEST(Decide, IsNotDoneWhileOneNodeStillRuns) {
  EXPECT_EQ(plan_for(a_job().running().succeeded(0)).status->phase, Phase::kRunning);
}

TEST(Decide, WarnsOfATemplateThatDoesNotSayWhatItsAuthorMayMean) {
  const json main = json::parse(R"({"template": {"spec": {"containers": [
      {"name": "main", "image": "x", "env": [{"name": "MASTER_ADDR", "value": "y"}]}]}}})");
  const auto warnings = [](const json& spec) {
    std::vector<std::string> reasons;
    for (const Event& event : plan_for(a_job().spec(spec)).events) {
      if (event.is_warning) reasons.push_back(event.reason);
    }
    return reasons;
  };
  EXPECT_THAT(warnings(main),
              ElementsAre("NoCheckpoints", "NoTrainerContainer", "ReservedEnvironment"));
  json trainer = main;
  trainer["template"]["spec"]["containers"][0]["name"] = "trainer";
  EXPECT_THAT(warnings(trainer), ElementsAre("ReservedEnvironment"));
  EXPECT_THAT(warnings(json::object()), ElementsAre("NoCheckpoints"));
  const char* labels = R"({"template": {"metadata": {"labels": {
      "team": "vision", "app.kubernetes.io/managed-by": "lockstep-operator",
      "lockstep.dev/node-rank": "9"}}}})";
  EXPECT_THAT(warnings(json::parse(labels)), ElementsAre("NoCheckpoints", "ReservedLabel"));
}

TEST(Decide, WarnsOfTorchrunUnderAnInjectedLauncher) {
  const auto warns = [](const std::string& launcher, const std::string& trainer) {
    const json spec = json::parse(R"({"launcher": ")" + launcher + R"(", "template": {"spec":
        {"containers": [{"name": "trainer", "image": "x", )" +
                                  trainer + "}]}}}");
    return !event_reasons(plan_for(a_job().spec(spec).spec({{"procPerNode", 1}}))).empty();
  };
  for (const char* twice :
       {R"("command": ["torchrun", "train.py"])", R"("command": ["/opt/venv/bin/torchrun"])",
        R"("command": ["python3", "-u", "-m", "torch.distributed.run", "train.py"])",
        R"("command": ["python3"], "args": ["-m", "torch.distributed.run"])"}) {
    EXPECT_TRUE(warns("Inject", twice)) << twice;
    EXPECT_FALSE(warns("FromImage", twice)) << twice;
  }
  for (const char* once :
       {R"("command": ["python3", "train.py", "torchrun"])", R"("command": ["torchrunner"])",
        R"("command": ["python3", "-m", "train", "torch.distributed.run"])",
        R"("command": ["python3", "-m"])", R"("command": ["python3", "torch.distributed.run"])"}) {
    EXPECT_FALSE(warns("Inject", once)) << once;
  }
}

TEST(Decide, SaysWhenNoAcceleratorWasCounted) {
  const auto says = [](const char* spec) {
    const auto reasons = event_reasons(plan_for(a_job().spec(json::parse(spec))));
    return std::count(reasons.begin(), reasons.end(), "NoAccelerators");
  };
  EXPECT_EQ(says("{}"), 1);
  EXPECT_EQ(says(R"({"procPerNode": 1})"), 0);
  EXPECT_EQ(says(R"({"resourcesPerNode": {"limits": {"nvidia.com/gpu": 1}}})"), 0);
  EXPECT_EQ(says(R"({"template": {"spec": {"containers": [
                {"name": "trainer", "resources": {"requests": {"nvidia.com/gpu": 1}}}]}}})"),
            1);
}

TEST(Decide, CleansUpAsThePolicySays) {
  const json finished = {{"conditions", json::array({{{"type", "Failed"}, {"status", "True"}}})}};
  const auto cleaned = [&](const char* policy) {
    return words(plan_for(a_job().nodes(3).running().failed(1).succeeded(2).status(finished).spec(
        {{"runPolicy", {{"cleanPodPolicy", policy}}}})));
  };
  EXPECT_THAT(cleaned("Running"), ElementsAre("delete fashion-0"));
  EXPECT_THAT(cleaned("All"),
              ElementsAre("delete fashion-0", "delete fashion-1", "delete fashion-2"));
  EXPECT_THAT(cleaned("None"), IsEmpty());
}

TEST(Decide, KeepsAPodWhoseContainersEndedBeforeItsPhaseSaysSo) {
  const json complete = {{"conditions", json::array({{{"type", "Complete"}, {"status", "True"}}})}};
  const json lagging = {{"status", {{"phase", "Running"}}}};
  const auto job =
      a_job().nodes(2).running().succeeded(0).succeeded(1).pod(0, lagging).status(complete);
  EXPECT_THAT(words(plan_for(job)), IsEmpty());
}

TEST(Decide, NotesThatAFinishedJobWasEditedAndNothingElse) {
  const json complete = {{"observedGeneration", 0},
                         {"conditions", json::array({{{"type", "Complete"}, {"status", "True"}}})}};
  const auto job = a_job().running().status(complete);
  const Plan plan = plan_for(job);
  ASSERT_TRUE(plan.status);
  JobStatus noted = job.job().status;
  noted.observed_generation = 1;
  EXPECT_EQ(*plan.status, noted);
  EXPECT_TRUE(plan.events.empty());
}

TEST(Decide, ForcesAStuckPodOfAFinishedJobToo) {
  const json failed = {{"conditions", json::array({{{"type", "Failed"}, {"status", "True"}}})}};
  const auto job = a_job().running().status(failed).terminating(1);
  EXPECT_THAT(words(plan_for(job, 100)), ElementsAre("delete fashion-0"));
  const Plan late = plan_for(job, 200);  // its grace of 60 s and the 120 s beyond are over
  EXPECT_THAT(words(late), ElementsAre("delete fashion-0", "delete fashion-1"));
  EXPECT_EQ(std::get<DeletePod>(late.actions.back()).grace_seconds, 0);
}

TEST(Decide, LetsTheKubeletRestartASideCar) {
  const json crashed = json::parse(R"({"name": "proxy",
    "state": {"terminated": {"exitCode": 1, "finishedAt": "2026-01-02T12:00:01Z"}}})");
  const auto with = [&](const json& declared) {
    return a_job().running().pod(1,
                                 {{"spec", {{"initContainers", json::array({declared})}}},
                                  {"status", {{"initContainerStatuses", json::array({crashed})}}}});
  };
  const json side_car = {{"name", "proxy"}, {"restartPolicy", "Always"}};
  EXPECT_EQ(plan_for(with(side_car)).status->attempt, 1);
  EXPECT_EQ(plan_for(with({{"name", "proxy"}})).status->attempt, 2);
}

TEST(Decide, NeverTouchesAFinishedJobAgain) {
  for (const char* type : {"Complete", "Failed"}) {
    const json finished = {{"conditions", json::array({{{"type", type}, {"status", "True"}}})}};
    EXPECT_TRUE(is_idle(plan_for(a_job().attempt(1).status(finished))));
    EXPECT_FALSE(plan_for(a_job().running().failed(1).status(finished)).status);
    EXPECT_TRUE(is_idle(
        plan_for(a_job().attempt(1).status(finished).spec({{"runPolicy", {{"suspend", true}}}}))));
  }
}

TEST(Decide, SuspendsByRaisingTheAttemptAndThenDraining) {
  const auto job = a_job().running().spec({{"runPolicy", {{"suspend", true}}}});
  const Plan plan = plan_for(job);
  EXPECT_EQ(plan.status->phase, Phase::kSuspended);
  EXPECT_EQ(plan.status->attempt, 2);
  EXPECT_EQ(plan.status->attempt_cause, AttemptCause::kSuspend);
  EXPECT_EQ(plan.status->restarts, Restarts{}) << "a suspension costs nothing";
  EXPECT_FALSE(plan.status->start_time);
  EXPECT_THAT(words(plan), IsEmpty());
  EXPECT_THAT(event_reasons(plan), ElementsAre("JobSuspended"));

  auto suspended = written(job, plan);
  const Plan next = plan_for(suspended);
  EXPECT_THAT(words(next), ElementsAre("delete fashion-0", "delete fashion-1"));
  EXPECT_EQ(std::get<DeletePod>(next.actions[0]).grace_seconds, std::nullopt);
  suspended.gone(0).gone(1);
  EXPECT_TRUE(is_idle(plan_for(written(suspended, plan_for(suspended)))));
}

TEST(Decide, ResumesWithFreshClocks) {
  auto job = a_job().running().spec({{"runPolicy", {{"suspend", true}}}});
  job = written(job, plan_for(job)).gone(0).gone(1);
  job.spec({{"runPolicy", {{"suspend", false}}}});
  const Plan resumed = plan_for(job, 5000);
  EXPECT_EQ(resumed.status->attempt, 2);
  EXPECT_EQ(resumed.status->attempt_start_time, after(5000));
  EXPECT_EQ(resumed.status->start_time, after(5000));
  EXPECT_THAT(event_reasons(resumed), ElementsAre("JobResumed"));
  EXPECT_THAT(words(plan_for(written(job, resumed), 5001)),
              ElementsAre("create fashion-0", "create fashion-1"));
}

TEST(Decide, SuspendsAJobBeforeItsFirstAttempt) {
  const auto job = a_job().spec({{"runPolicy", {{"suspend", true}}}});
  const Plan plan = plan_for(job);
  EXPECT_EQ(plan.status->attempt, 0);
  EXPECT_EQ(plan.status->phase, Phase::kSuspended);
  EXPECT_TRUE(is_idle(plan_for(written(job, plan))));
}

TEST(Decide, SaysThatASpecIsInvalidAndWhenItNoLongerIs) {
  auto job = a_job().spec({{"config", {{"blob", std::string(70000, 'x')}}}});
  const Plan plan = plan_for(job);
  EXPECT_EQ(plan.status->phase, Phase::kPending);
  EXPECT_THAT(plan.status->condition(names::kInvalid)->message, HasSubstr("64 KiB"));
  EXPECT_THAT(event_reasons(plan), ElementsAre("InvalidSpec"));
  job = written(job, plan);
  EXPECT_TRUE(is_idle(plan_for(job)));
  EXPECT_FALSE(plan_for(job.spec({{"config", nullptr}})).status->is(names::kInvalid));
}

TEST(Decide, WaitsForANameThatOthersHold) {
  Observed seen = a_job().attempt(1).with_companions().scheduled(0).observed();
  seen.pods[0].meta.controller_uid = "somebody";
  const Plan plan = decide(seen, after(10));
  EXPECT_THAT(words(plan), IsEmpty());
  EXPECT_THAT(plan.status->condition(names::kNameConflict)->message, HasSubstr("Pod fashion-0"));
  EXPECT_EQ(plan.look_again, after(20));
  seen.pods[0].meta.deletion_time = after(5);
  EXPECT_THAT(decide(seen, after(10)).status->condition(names::kNameConflict)->message,
              HasSubstr("is being deleted and is waited for"));

  Observed refused = a_job().attempt(1).observed();
  refused.refused = {
      {.attempt = 1, .what = "Service fashion", .kind = Refusal::kNameTaken, .message = ""}};
  EXPECT_THAT(decide(refused, after(10)).status->condition(names::kNameConflict)->message,
              HasSubstr("Service fashion"));
}

TEST(Decide, IgnoresForeignPodsUnderOtherNames) {
  Observed seen = a_job().running().started(7).observed();
  seen.pods.back().meta.controller_uid = "somebody";
  EXPECT_FALSE(decide(seen, after(10)).status->is(names::kNameConflict));
}

TEST(Decide, GivesAHalfMadeAttemptBackWhenAQuotaRefusesTheRest) {
  Observed seen = a_job().attempt(1).with_companions().scheduled(0).observed();
  seen.refused = {{.attempt = 1, .what = "Pod fashion-1", .message = "exceeded quota: gpus"}};
  const Plan plan = decide(seen, after(10));
  EXPECT_THAT(words(plan), IsEmpty());
  EXPECT_EQ(plan.status->attempt, 2);
  EXPECT_EQ(plan.status->attempt_cause, AttemptCause::kPartialCreate);
  EXPECT_EQ(plan.status->attempt_start_time, kNoon) << "the startup clock runs on";
  EXPECT_GE(*plan.status->create_retry_time, after(40));
  EXPECT_EQ(plan.status->restarts, Restarts{});
  EXPECT_EQ(plan.status->display.reason, "CreateRefused");
  EXPECT_THAT(plan.status->condition(names::kPodsCreated)->message,
              HasSubstr("exceeded quota: gpus"));
  EXPECT_THAT(event_reasons(plan), ElementsAre("CreateRefused"));
  seen.job.status = *plan.status;
  EXPECT_THAT(words(decide(seen, after(10))), ElementsAre("delete fashion-0"));
  seen.pods.clear();
  EXPECT_THAT(words(decide(seen, after(10))), IsEmpty()) << "not before createRetryTime";
  EXPECT_THAT(words(decide(seen, *plan.status->create_retry_time)),
              ElementsAre("create fashion-0", "create fashion-1"));
}

TEST(Decide, FailsAtOnceWhatCanNeverBeCreated) {
  Observed seen = a_job().attempt(1).with_companions().scheduled(0).observed();
  seen.refused = {{1, "Pod fashion-1", Refusal::kForGood, "Pod \"fashion-1\" is invalid: no"}};
  const Plan plan = decide(seen, after(10));
  EXPECT_EQ(plan.status->phase, Phase::kFailed);
  EXPECT_EQ(plan.status->attempt, 1);
  EXPECT_EQ(plan.status->condition(names::kFailed)->reason, "CreateRefused");
  EXPECT_THAT(plan.status->condition(names::kFailed)->message, HasSubstr("is invalid: no"));
  EXPECT_THAT(event_reasons(plan), ElementsAre("CreateRefused"));
  seen.job.status = *plan.status;
  EXPECT_THAT(words(decide(seen, after(10))), ElementsAre("delete fashion-0"));

  Observed running = a_job().running().observed();
  running.refused = {{1, "NetworkPolicy fashion", Refusal::kForGood, "is invalid: "}};
  EXPECT_EQ(decide(running, after(10)).status->phase, Phase::kRunning) << "it has all it needs";
}

TEST(Decide, FailsAStartupThatOldPodsKeepFromBeginning) {
  const auto job = a_job()
                       .running()
                       .status({{"attempt", 2}, {"podsCreated", false}})
                       .spec({{"runPolicy", {{"startupDeadlineSeconds", 60}}}});
  EXPECT_EQ(plan_for(job, 59).look_again, after(60));
  EXPECT_THAT(words(plan_for(job, 59)), ElementsAre("delete fashion-0", "delete fashion-1"));
  const Plan plan = plan_for(job, 60);
  EXPECT_EQ(plan.status->condition(names::kFailed)->reason, "StartupDeadlineExceeded");
  EXPECT_THAT(plan.status->condition(names::kFailed)->message,
              HasSubstr("pods of the attempt before are ending"));
}

TEST(Decide, FailsAStartupThatTakesTooLongWithItsTrueCause) {
  const json pulling = {
      {"status",
       {{"containerStatuses",
         json::array({{{"name", "trainer"},
                       {"state",
                        {{"waiting",
                          {{"reason", "ImagePullBackOff"},
                           {"message", "Back-off pulling image \"typo\""}}}}}}})}}}};
  const auto job = a_job()
                       .attempt(1)
                       .with_companions()
                       .status({{"podsCreated", true}})
                       .started(0)
                       .pod(1, pulling)
                       .spec({{"runPolicy", {{"startupDeadlineSeconds", 60}}}});
  EXPECT_EQ(plan_for(job, 59).look_again, after(60));
  const Plan plan = plan_for(job, 60);
  EXPECT_EQ(plan.status->phase, Phase::kFailed);
  EXPECT_EQ(plan.status->condition(names::kFailed)->reason, "StartupDeadlineExceeded");
  EXPECT_THAT(plan.status->condition(names::kFailed)->message,
              HasSubstr("Back-off pulling image \"typo\""));
}

TEST(Decide, TakesUpTheAttemptOfItsPodsWhenStatusWasLost) {
  auto job = a_job().attempt(4).started(0).started(1).status({{"attempt", nullptr}});
  EXPECT_EQ(plan_for(job).status->attempt, 4);
  EXPECT_THAT(words(plan_for(job)), IsEmpty());
}

}  // namespace
}  // namespace lockstep
