// The active deadline: running time since start or resume. The startup deadline.
#include "operator/plan/deadline.h"

#include <gmock/gmock.h>

#include "operator/api/names.h"
#include "tests/operator/plan/planned.h"

namespace lockstep {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

JobBuilder a_job_of_a_minute() {
  return a_job().spec({{"runPolicy", {{"activeDeadlineSeconds", 60}}}});
}

TEST(ActiveDeadline, FailsTheJobToTheSecondAndSaysWhy) {
  const auto job = a_job_of_a_minute().running();
  EXPECT_EQ(plan_for(job, 59.9).look_again, after(60));
  EXPECT_EQ(plan_for(job, 59.9).status->phase, Phase::kRunning);
  const Plan plan = plan_for(job, 60);
  ASSERT_TRUE(plan.status);
  EXPECT_EQ(plan.status->phase, Phase::kFailed);
  EXPECT_EQ(plan.status->completion_time, after(60));
  EXPECT_EQ(plan.status->condition(names::kFailed)->reason, "DeadlineExceeded");
  EXPECT_THAT(plan.status->condition(names::kFailed)->message,
              HasSubstr("60 s of runPolicy.activeDeadlineSeconds"));
  EXPECT_THAT(event_reasons(plan), ElementsAre("DeadlineExceeded"));
  EXPECT_THAT(words(plan_for(written(job, plan), 61)),
              ElementsAre("delete fashion-0", "delete fashion-1"));
}

TEST(ActiveDeadline, LosesToSuccessHoweverLateItIsSeen) {
  const auto job = a_job_of_a_minute().running().succeeded(0).succeeded(1);
  EXPECT_EQ(plan_for(job, 100'000).status->phase, Phase::kSucceeded);
}

TEST(ActiveDeadline, HoldsInEveryStateOfAnUnfinishedJob) {
  const auto draining = a_job_of_a_minute().running().status({{"attempt", 2}});
  const auto waiting = a_job_of_a_minute().attempt(2).with_companions().status(
      {{"nextRestartTime", format_time(after(300))}});
  const auto settling = a_job_of_a_minute().running().failed(1, 75, 59);
  for (const JobBuilder& job : {a_job_of_a_minute().attempt(1), draining, waiting, settling}) {
    EXPECT_EQ(plan_for(job, 59).look_again, after(60));
    EXPECT_EQ(plan_for(job, 60).status->condition(names::kFailed)->reason, "DeadlineExceeded");
  }
}

TEST(ActiveDeadline, IsCountedAcrossRestarts) {
  auto job = a_job_of_a_minute().running().failed(1);
  job = written(job, plan_for(job, 30)).gone(0).gone(1);
  EXPECT_EQ(job.job().status.attempt, 2);
  EXPECT_EQ(plan_for(job, 60).status->phase, Phase::kFailed);
}

// T46: a suspended job is not finished, its startTime is cleared, and the deadline begins anew.
TEST(ActiveDeadline, DoesNotCountSuspendedTime) {
  auto job = a_job_of_a_minute().running().spec({{"runPolicy", {{"suspend", true}}}});
  job = written(job, plan_for(job, 59)).gone(0).gone(1);
  EXPECT_FALSE(job.job().status.start_time);
  EXPECT_EQ(active_deadline(job.job().spec.run_policy, job.job().status), std::nullopt);
  EXPECT_THAT(words(plan_for(job, 10'000)), IsEmpty()) << "the Service stays";
  EXPECT_FALSE(plan_for(job, 10'000).look_again);
  job.spec({{"runPolicy", {{"suspend", false}}}});
  job = written(job, plan_for(job, 10'000));
  EXPECT_EQ(job.job().status.phase, Phase::kPending);
  EXPECT_THAT(words(plan_for(job, 10'059)), ElementsAre("create fashion-0", "create fashion-1"));
  EXPECT_EQ(plan_for(job, 10'060).status->condition(names::kFailed)->reason, "DeadlineExceeded");
}

// Otherwise a long back-off and one full quota would end the job before it had a chance to start.
TEST(StartupDeadline, CountsFromTheEndOfTheBackOffAlsoAfterARefusal) {
  const auto job = a_job().nodes(2).with_companions().attempt(3).status(
      {{"nextRestartTime", format_time(after(2000))}});
  Observed seen = job.observed();
  seen.pods.clear();
  seen.refused = {{3, "Pod fashion-1", Refusal::kForNow, "exceeded quota"}};
  seen = written(job, decide(seen, after(2001))).observed();
  seen.pods.clear();
  EXPECT_EQ(seen.job.status.attempt, 4);
  for (const auto& [seconds, phase] : {std::pair(2100, Phase::kPending), {3800, Phase::kFailed}}) {
    const Plan plan = decide(seen, after(seconds));
    EXPECT_EQ(plan.status.value_or(seen.job.status).phase, phase) << seconds;
  }
}

TEST(ActiveDeadline, IsAbsentUnlessAsked) { EXPECT_FALSE(plan_for(a_job().running()).look_again); }

}  // namespace
}  // namespace lockstep
