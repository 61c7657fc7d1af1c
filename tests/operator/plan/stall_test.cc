// A stall is seen in time, blamed on the right rank, and never imagined.
#include "operator/plan/stall.h"

#include <gmock/gmock.h>

#include "operator/api/names.h"
#include "tests/operator/plan/planned.h"

namespace lockstep {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// What a node answers whose slowest rank is at that step and silent for so long.
NodeReport node(int rank, std::int64_t step, double silent) {
  NodeReport report{.job = "fashion", .attempt = 1, .node_rank = rank, .silent_seconds = silent};
  report.progress = Progress{.step = step};
  report.slowest = NodeReport::Rank{.rank = 4 * rank + 1,
                                    .phase = "step",
                                    .epoch = 1,
                                    .step = step,
                                    .silent_seconds = silent + 1};
  return report;
}

JobBuilder a_watched_job() {
  JobBuilder job = a_job().spec({{"runPolicy", {{"stallTimeoutSeconds", 60}}}}).running();
  return written(job, plan_for(job, 5));
}

Plan plan_with(const JobBuilder& job, std::map<int, std::optional<NodeReport>> nodes,
               double at = 100) {
  Observed seen = job.observed();
  seen.reports = Reports{1, std::move(nodes)};
  return decide(seen, after(at));
}

const Condition& stalled(const Plan& plan) { return *plan.status->condition(names::kStalled); }

TEST(Stall, RestartsTheJobAndNamesTheRankThatTheOthersWaitFor) {
  const Plan plan = plan_with(a_watched_job(), {{0, node(0, 121, 60)}, {1, node(1, 120, 61)}});
  EXPECT_EQ(plan.status->attempt, 2);
  EXPECT_EQ(plan.status->restarts.failures, 1);
  EXPECT_EQ(plan.status->phase, Phase::kRestarting);
  EXPECT_EQ(plan.status->last_failure->node_rank, 1);
  EXPECT_EQ(plan.status->last_failure->rank, 5);
  EXPECT_EQ(plan.status->last_failure->reason, "Stalled");
  EXPECT_EQ(plan.status->last_failure->message,
            "rank 5 has told of no progress for 62 s, last in phase step at step 120");
  EXPECT_TRUE(stalled(plan).status);
  EXPECT_EQ(plan.status->display.reason, "Stalled");
  EXPECT_THAT(plan.status->display.progress, HasSubstr("stalled"));
  EXPECT_THAT(event_reasons(plan), ElementsAre("NodeFailed")) << "one cause, one event";
  EXPECT_THAT(plan.events[0].message, HasSubstr("node 1 (pod fashion-1"));
  EXPECT_THAT(words(plan), testing::IsEmpty());
}

TEST(Stall, IsShownAsLongAsItsPodsAreThere) {
  JobBuilder job = a_watched_job();
  job = written(job, plan_with(job, {{0, node(0, 1, 60)}, {1, node(1, 1, 60)}}));
  job = written(job, plan_for(job, 101));
  EXPECT_TRUE(job.job().status.is(names::kStalled)) << "while the old pods go";
  EXPECT_FALSE(stalled(plan_for(JobBuilder(job).gone(0).gone(1), 130)).status) << "then no longer";
  Observed seen = job.attempt(2).running().observed();
  NodeReport fresh = node(0, 1, 0.5);
  fresh.attempt = 2;
  seen.reports = Reports{2, {{0, fresh}}};
  EXPECT_FALSE(stalled(decide(seen, after(200))).status);
}

TEST(Stall, EndsTheJobWhenTheBudgetIsSpentOrARuleSaysSo) {
  const std::map<int, std::optional<NodeReport>> silent = {{0, node(0, 1, 99)},
                                                           {1, node(1, 2, 99)}};
  const nlohmann::json no_budget = {{"backoffLimit", 0}};
  const nlohmann::json rule = {{"reasons", {"Stalled"}}, {"action", "Fail"}};
  for (const nlohmann::json& policy :
       {no_budget, {{"failureRules", nlohmann::json::array({rule})}}}) {
    const Plan plan = plan_with(a_watched_job().spec({{"runPolicy", policy}}), silent);
    EXPECT_EQ(plan.status->phase, Phase::kFailed);
    EXPECT_THAT(plan.status->condition(names::kFailed)->message,
                HasSubstr("node 0 (pod fashion-0 on worker-0) stalled: rank 1 has told"));
    EXPECT_TRUE(stalled(plan).status);
  }
}

TEST(Stall, NeedsEveryNodeToBeSilentForTheWholeTimeout) {
  const JobBuilder job = a_watched_job();
  const auto moves = [&](std::map<int, std::optional<NodeReport>> nodes) {
    const Plan plan = plan_with(job, std::move(nodes));
    return !plan.status || plan.status->attempt == 1;
  };
  EXPECT_TRUE(moves({{0, node(0, 1, 59.9)}, {1, node(1, 1, 300)}})) << "node 0 spoke in time";
  EXPECT_TRUE(moves({{0, node(0, 1, 300)}, {1, node(1, 1, 0)}})) << "node 1 still moves";
  EXPECT_TRUE(moves({{0, node(0, 1, 300)}})) << "node 1 was not asked";
  EXPECT_TRUE(moves({{0, std::nullopt}, {1, std::nullopt}})) << "nobody answered";
  NodeReport mute;
  EXPECT_TRUE(moves({{0, mute}, {1, mute}})) << "a program that tells nothing";
  EXPECT_FALSE(moves({{0, node(0, 1, 60)}, {1, mute}})) << "rank 0 alone tells, and fell silent";
}

TEST(Stall, BlamesTheNodeThatDoesNotAnswerWhereTheOthersWait) {
  const Plan plan = plan_with(a_watched_job(), {{0, node(0, 1, 60)}, {1, std::nullopt}});
  EXPECT_EQ(plan.status->last_failure->node_rank, 1);
  EXPECT_FALSE(plan.status->last_failure->rank);
  EXPECT_EQ(plan.status->last_failure->message, "the node does not answer, and the others wait");
}

TEST(Stall, IsNotTheFaultOfANodeThatIsDone) {
  const JobBuilder job = a_watched_job().succeeded(0);
  const Plan plan = plan_with(job, {{0, std::nullopt}, {1, node(1, 120, 61)}});
  EXPECT_EQ(plan.status->last_failure->node_rank, 1);
}

TEST(Stall, IsNotBlamedOnARankThatNeverToldAStep) {
  NodeReport mute = node(0, 1, 60);
  mute.slowest = NodeReport::Rank{.rank = 1, .phase = "init", .silent_seconds = 300};
  const Plan plan = plan_with(a_watched_job(), {{0, mute}, {1, node(1, 120, 61)}});
  EXPECT_EQ(plan.status->last_failure->rank, 5);
}

TEST(Stall, BlamesARankThatIsStoppedWhereverItStands) {
  NodeReport stopped = node(1, 130, 60);
  stopped.slowest->is_stopped = true;
  const Plan plan = plan_with(a_watched_job(), {{0, node(0, 120, 70)}, {1, stopped}});
  EXPECT_EQ(plan.status->last_failure->rank, 5);
  EXPECT_THAT(plan.status->last_failure->message, HasSubstr("step 130: its process is stopped"));
}

TEST(Stall, IsUnknownWhereNobodyTellsProgressAndSaidOnce) {
  JobBuilder job = a_watched_job();
  const Plan plan = plan_with(job, {{0, std::nullopt}});
  EXPECT_TRUE(stalled(plan).is_unknown);
  EXPECT_EQ(to_json(*plan.status)["conditions"].back()["status"], "Unknown");
  EXPECT_THAT(event_reasons(plan), testing::IsEmpty());
  job = written(job, plan);
  EXPECT_TRUE(is_idle(plan_with(job, {{0, std::nullopt}})));
  EXPECT_FALSE(stalled(plan_with(job, {{0, node(0, 1, 1)}})).is_unknown);
}

TEST(Stall, StaysAsItWasInTheFirstMinuteOfAnAttempt) {
  const std::map<int, std::optional<NodeReport>> mute = {{0, std::nullopt}};
  JobBuilder job = a_watched_job();
  EXPECT_TRUE(is_idle(plan_with(job, mute, 59.9)));
  EXPECT_FALSE(job.job().status.condition(names::kStalled));
  EXPECT_THAT(stalled(plan_with(job, mute, 60)).message, HasSubstr("launcher: Inject"));
  job = written(job, plan_with(job, {{0, node(0, 1, 1)}}, 20));
  EXPECT_TRUE(is_idle(plan_with(job, mute, 50)));
  EXPECT_EQ(job.job().status.condition(names::kStalled)->reason, "ProgressReported");
}

TEST(Stall, IsOfNoInterestUnlessAsked) {
  const JobBuilder job = a_job().running();
  const Plan plan = plan_with(job, {{0, node(0, 1, 1e6)}, {1, node(1, 1, 1e6)}});
  EXPECT_EQ(plan.status->attempt, 1);
  EXPECT_FALSE(plan.status->condition(names::kStalled));
}

TEST(Stall, LosesToANodeThatFailed) {
  Observed seen = a_watched_job().failed(0, 3).observed();
  seen.reports = Reports{1, {{0, std::nullopt}, {1, node(1, 1, 99)}}};
  const Plan plan = decide(seen, after(100));
  EXPECT_EQ(plan.status->last_failure->exit_code, 3);
}

}  // namespace
}  // namespace lockstep
