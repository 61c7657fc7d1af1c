// Deletion of finished jobs.
#include "operator/plan/expiry.h"

#include <gmock/gmock.h>

#include "operator/api/names.h"
#include "tests/operator/plan/planned.h"

namespace lockstep {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::IsEmpty;

json ended(const char* type, const char* reason) {
  const json condition = {{"type", type},
                          {"status", "True"},
                          {"reason", reason},
                          {"lastTransitionTime", format_time(after(100))}};
  return {{"conditions", json::array({condition})}, {"completionTime", format_time(after(100))}};
}

JobBuilder a_job_kept_for(int seconds) {
  return a_job().attempt(1).spec({{"runPolicy", {{"ttlSecondsAfterFinished", seconds}}}});
}

struct Ending {
  const char* reason;
  JobBuilder job;  // as it is just before, so that decide() itself ends it at 100 s
};

std::vector<Ending> every_ending() {
  const auto base = a_job_kept_for(60);
  const auto running = [&](const json& policy) {
    return JobBuilder(base).running().spec({{"runPolicy", policy}});
  };
  return {{names::kAllNodesSucceeded, running(json::object()).succeeded(0).succeeded(1)},
          {names::kFirstNodeSucceeded, running({{"successPolicy", "FirstNode"}}).succeeded(0)},
          {names::kBackoffLimitExceeded, running({{"backoffLimit", 0}}).failed(1)},
          {names::kDisruptionLimitExceeded, running({{"disruptionLimit", 0}}).evicted(1)},
          {names::kPermanentFailure, running(json::object()).failed(1, 64)},
          {names::kFailureRule,
           running(json::parse(R"({"failureRules": [{"exitCodes": [3], "action": "Fail"}]})"))
               .failed(1, 3)},
          {names::kDeadlineExceeded, running({{"activeDeadlineSeconds", 100}})},
          {names::kStartupDeadlineExceeded,
           JobBuilder(base).spec({{"runPolicy", {{"startupDeadlineSeconds", 100}}}})}};
}

// T21
TEST(Expiry, FollowsEveryWayInWhichAJobEnds) {
  for (auto& [reason, job] : every_ending()) {
    const Plan end = plan_for(job, 100);
    ASSERT_TRUE(end.status) << reason;
    ASSERT_TRUE(end.status->completion_time) << reason;
    EXPECT_THAT(event_reasons(end), ElementsAre(reason));
    auto finished = written(job, end).gone(0).gone(1);
    const Time expiry = *end.status->completion_time + std::chrono::seconds(60);
    EXPECT_EQ(expires_at(finished.job()), expiry) << reason;
    EXPECT_THAT(words(decide(finished.observed(), expiry - std::chrono::milliseconds(1))),
                IsEmpty());
    EXPECT_THAT(words(decide(finished.observed(), expiry)), ElementsAre("delete the job"))
        << reason;
  }
}

// T22: the time is worked out from status, so an operator that starts later finds the same.
TEST(Expiry, IsKeptByAnOperatorThatStartsAnew) {
  const auto job = a_job_kept_for(60).status(ended("Failed", "DeadlineExceeded"));
  for (const double start : {101.0, 130.0, 159.9}) {
    EXPECT_EQ(plan_for(job, start).look_again, after(160));
    EXPECT_THAT(words(plan_for(job, start)), IsEmpty());
  }
  for (const double start : {160.0, 100'000.0}) {
    EXPECT_THAT(words(plan_for(job, start)), ElementsAre("delete the job"));
  }
}

TEST(Expiry, DeletesExactlyTheJobThatWasSeen) {
  Observed seen = a_job_kept_for(0).status(ended("Complete", "AllNodesSucceeded")).observed();
  seen.job.meta.resource_version = "42";
  const Plan plan = decide(seen, after(100));
  ASSERT_EQ(plan.actions.size(), 1u);
  EXPECT_EQ(std::get<DeleteJob>(plan.actions[0]).uid, "job-uid");
  EXPECT_EQ(std::get<DeleteJob>(plan.actions[0]).resource_version, "42");
  EXPECT_FALSE(plan.status);
}

TEST(Expiry, ComesAfterTheCleanUp) {
  auto job = a_job_kept_for(0).running().status(ended("Failed", "DeadlineExceeded"));
  EXPECT_THAT(words(plan_for(job, 101)), ElementsAre("delete fashion-0", "delete fashion-1"));
  job.terminating(0).terminating(1);
  EXPECT_THAT(words(plan_for(job, 101)), ElementsAre("delete the job"));
}

TEST(Expiry, ComesAfterTheGraceOfNodesThatStillRun) {
  auto job = a_job_kept_for(10).running().succeeded(0).spec(
      {{"runPolicy", {{"successPolicy", "FirstNode"}, {"successGraceSeconds", 30}}}});
  job.status(ended("Complete", "FirstNodeSucceeded"));
  EXPECT_THAT(words(plan_for(job, 120)), IsEmpty());
  EXPECT_THAT(words(plan_for(job, 130)), ElementsAre("delete fashion-1"));
}

TEST(Expiry, FallsBackToTheConditionWhenTheTimeWasLost) {
  auto job = a_job_kept_for(60).status(ended("Failed", "PermanentFailure"));
  job.status({{"completionTime", nullptr}});
  EXPECT_EQ(expires_at(job.job()), after(160));
}

// T46: a suspended job is not finished.
TEST(Expiry, NeverTouchesAJobThatHasNotEnded) {
  for (const JobBuilder& job :
       {a_job_kept_for(0), a_job_kept_for(0).running(),
        a_job_kept_for(0).with_companions().spec({{"runPolicy", {{"suspend", true}}}})}) {
    EXPECT_EQ(expires_at(job.job()), std::nullopt);
    for (const std::string& word : words(plan_for(job, 100'000))) EXPECT_NE(word, "delete the job");
  }
}

TEST(Expiry, KeepsAFinishedJobForEverUnlessAsked) {
  const auto job = a_job().attempt(1).status(ended("Complete", "AllNodesSucceeded"));
  EXPECT_TRUE(is_idle(plan_for(job, 1'000'000)));
  EXPECT_FALSE(plan_for(job).look_again);
}

}  // namespace
}  // namespace lockstep
