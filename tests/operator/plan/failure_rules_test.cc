// Failure rules: which one matches, and what follows.
#include "operator/plan/failure_rules.h"

#include <gmock/gmock.h>

#include "operator/api/names.h"
#include "tests/operator/plan/planned.h"

namespace lockstep {
namespace {

using nlohmann::json;
using testing::HasSubstr;

JobBuilder a_job_with(const std::vector<json>& rules) {
  return a_job().running().spec({{"runPolicy", {{"failureRules", json(rules)}}}});
}

json rule(const char* codes, const char* action) {
  return {{"exitCodes", json::parse(codes)}, {"action", action}};
}

std::string reason_of_end(const Plan& plan) {
  const Condition* failed = plan.status ? plan.status->condition(names::kFailed) : nullptr;
  return failed ? failed->reason : "";
}

TEST(FailureRules, MatchByCodeRangeAndReason) {
  const FailureRule range{.exit_codes = {{64, 66}, {71, 71}}, .reasons = {}};
  const FailureRule reason{.exit_codes = {}, .reasons = {"OOMKilled", "StartError"}};
  const FailureRule both{.exit_codes = {{137, 137}}, .reasons = {"OOMKilled"}};
  struct Case {
    const FailureRule& rule;
    int code;
    const char* reason;
    bool is_match;
  };
  const Case cases[] = {{range, 63, "Error", false},       {range, 64, "Error", true},
                        {range, 65, "Error", true},        {range, 66, "Error", true},
                        {range, 67, "Error", false},       {range, 71, "OOMKilled", true},
                        {reason, 1, "Error", false},       {reason, 137, "OOMKilled", true},
                        {reason, 128, "StartError", true}, {both, 137, "Error", false},
                        {both, 1, "OOMKilled", false},     {both, 137, "OOMKilled", true}};
  for (const Case& each : cases) {
    LastFailure failure;
    failure.exit_code = each.code;
    failure.reason = each.reason;
    EXPECT_EQ(matching_rule({each.rule}, failure) != nullptr, each.is_match)
        << each.code << each.reason;
  }
}

TEST(FailureRules, MatchNoNodeWithoutAFailedContainer) {
  LastFailure gone;
  gone.reason = "Evicted";
  EXPECT_EQ(matching_rule({{.exit_codes = {}, .reasons = {"Evicted"}}}, gone), nullptr);
}

TEST(FailureRules, LetTheFirstMatchDecide) {
  const std::vector<json> rules = {rule("[3]", "Restart"), rule(R"(["1-255"])", "Fail")};
  EXPECT_EQ(reason_of_end(plan_for(a_job_with(rules).failed(1, 3))), "");
  const Plan failed = plan_for(a_job_with(rules).failed(1, 4));
  EXPECT_EQ(reason_of_end(failed), "FailureRule");
  EXPECT_THAT(failed.status->condition(names::kFailed)->message,
              HasSubstr("exited with 4; runPolicy.failureRules[1] says Fail"));
}

TEST(FailureRules, ComeBeforeTheExitCodeTable) {
  const Plan plan = plan_for(a_job_with({rule("[64]", "Restart")}).failed(1, 64));
  EXPECT_EQ(reason_of_end(plan), "");
  EXPECT_EQ(plan.status->restarts.failures, 1);
  EXPECT_EQ(reason_of_end(plan_for(a_job_with({rule("[65]", "Restart")}).failed(1, 64))),
            "PermanentFailure");
}

TEST(FailureRules, ComeAfterTheEvidenceOfADisruption) {
  const Plan plan = plan_for(a_job_with({rule(R"(["1-255"])", "Fail")}).failed(0, 3).evicted(1));
  EXPECT_EQ(reason_of_end(plan), "");
  EXPECT_EQ(plan.status->attempt_cause, AttemptCause::kDisruption);
}

TEST(FailureRules, DoNotMakeACauseOfANodeThatOnlyLostItsPeer) {
  const auto job = a_job_with({rule("[75]", "Fail")}).failed(0, 75, 10);
  EXPECT_EQ(reason_of_end(plan_for(job, 11)), "") << "better evidence may come";
  EXPECT_EQ(reason_of_end(plan_for(job, 70)), "FailureRule");
}

TEST(FailureRules, RestartWithinTheBudgetOnly) {
  auto job = a_job_with({rule("[3]", "Restart")}).failed(1, 3);
  job.status({{"restarts", {{"failures", 3}}}});
  EXPECT_EQ(reason_of_end(plan_for(job)), "BackoffLimitExceeded");
}

TEST(FailureRules, RestartWithoutCountingEvenWhenTheBudgetIsSpent) {
  auto job = a_job_with({rule("[3]", "RestartWithoutCounting")}).failed(1, 3);
  job.status({{"restarts", {{"failures", 3}, {"consecutive", 3}}}});
  const Plan plan = plan_for(job);
  ASSERT_TRUE(plan.status);
  EXPECT_EQ(plan.status->attempt, 2);
  EXPECT_EQ(plan.status->restarts, (Restarts{.failures = 3, .disruptions = 0, .consecutive = 4}));
  EXPECT_EQ(plan.status->next_restart_time, after(10 + 40)) << "it backs off all the same";
}

TEST(FailureRules, LeaveNothingToTakeBackWhenAnUncountedRestartWasADisruption) {
  auto job = a_job_with({rule("[3]", "RestartWithoutCounting")}).failed(0, 3);
  job.status({{"restarts", {{"failures", 2}}}});
  job = written(job, plan_for(job)).evicted(1);
  const Plan plan = plan_for(job);
  ASSERT_TRUE(plan.status);
  EXPECT_EQ(plan.status->restarts.failures, 2);
  EXPECT_EQ(plan.status->restarts.disruptions, 1);
}

// T26: each plan is made from status alone, as by an operator that was killed in between.
TEST(Budget, IsSpentToTheExactNumberOfAttempts) {
  for (const int limit : {0, 1, 3}) {
    auto job = a_job().running().spec({{"runPolicy", {{"backoffLimit", limit}}}});
    int attempts = 1;
    double now = 1;
    for (; attempts < 20; ++attempts, now += 1000) {
      job.failed(1, 1, now);
      job = written(job, plan_for(job, now + 2));
      if (job.job().status.is_finished()) break;
      job.gone(0).gone(1).started(0).started(1);
      job = written(job, plan_for(job, now + 999));
    }
    EXPECT_EQ(attempts, limit + 1);
    EXPECT_EQ(job.job().status.attempt, limit + 1);
    EXPECT_EQ(job.job().status.restarts.failures, limit);
    EXPECT_EQ(job.job().status.condition(names::kFailed)->reason, "BackoffLimitExceeded");
  }
}

}  // namespace
}  // namespace lockstep
