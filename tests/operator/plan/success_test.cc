// Success policies, and the grace of the nodes that still run.
#include "operator/plan/success.h"

#include <gmock/gmock.h>

#include "operator/api/names.h"
#include "tests/operator/plan/planned.h"

namespace lockstep {
namespace {

using testing::ElementsAre;

JobBuilder a_job_of_the_first_node() {
  return a_job().nodes(3).running().spec(
      {{"runPolicy", {{"successPolicy", "FirstNode"}, {"successGraceSeconds", 20}}}});
}

TEST(SuccessPolicy, CompletesWithTheFirstNodeWhateverTheOthersDo) {
  for (const JobBuilder& job : {a_job_of_the_first_node().succeeded(0),
                                a_job_of_the_first_node().succeeded(0).failed(1, 75),
                                a_job_of_the_first_node().succeeded(0).evicted(2),
                                a_job_of_the_first_node().succeeded(0).gone(1)}) {
    const Plan plan = plan_for(job, 110);
    ASSERT_TRUE(plan.status);
    EXPECT_EQ(plan.status->phase, Phase::kSucceeded);
    EXPECT_EQ(plan.status->completion_time, after(100)) << "when node 0 finished";
    EXPECT_THAT(event_reasons(plan), ElementsAre("FirstNodeSucceeded"));
  }
}

TEST(SuccessPolicy, WaitsForTheFirstNodeWhenTheOthersAreDone) {
  const auto job = a_job_of_the_first_node().succeeded(1).succeeded(2);
  EXPECT_EQ(plan_for(job, 110).status->phase, Phase::kRunning);
}

TEST(SuccessPolicy, RestartsWhenAnotherNodeFailsFirst) {
  EXPECT_EQ(plan_for(a_job_of_the_first_node().failed(1)).status->attempt, 2);
}

TEST(SuccessPolicy, IsNotMetByTheFirstNodeAloneUnlessAsked) {
  EXPECT_EQ(plan_for(a_job().running().succeeded(0), 110).status->phase, Phase::kRunning);
}

TEST(SuccessPolicy, GivesTheOtherNodesTheirGraceBeforeTheCleanUp) {
  for (const char* policy : {"Running", "All"}) {
    auto job = a_job_of_the_first_node().succeeded(0).succeeded(1);
    job.spec({{"runPolicy", {{"cleanPodPolicy", policy}}}});
    job = written(job, plan_for(job, 110));
    EXPECT_THAT(words(plan_for(job, 119)), testing::Not(testing::Contains("delete fashion-2")));
    EXPECT_EQ(plan_for(job, 119).look_again, after(120));
    EXPECT_THAT(words(plan_for(job, 120)), testing::Contains("delete fashion-2"));
    EXPECT_FALSE(plan_for(job, 120).look_again);
  }
}

TEST(SuccessPolicy, LeavesTheOtherNodesAloneWhenNothingIsCleanedUp) {
  auto job =
      a_job_of_the_first_node().succeeded(0).spec({{"runPolicy", {{"cleanPodPolicy", "None"}}}});
  job = written(job, plan_for(job, 110));
  EXPECT_TRUE(is_idle(plan_for(job, 100'000)));
  EXPECT_FALSE(plan_for(job, 110).look_again);
}

TEST(SuccessPolicy, GivesNoGraceToAJobThatFailed) {
  auto job = a_job_of_the_first_node().failed(1, 64);
  job = written(job, plan_for(job, 110));
  EXPECT_EQ(job.job().status.phase, Phase::kFailed);
  EXPECT_THAT(words(plan_for(job, 110)), ElementsAre("delete fashion-0", "delete fashion-2"));
}

TEST(SuccessPolicy, ComesBeforeASuspensionAndBeforeDeadlines) {
  auto job = a_job_of_the_first_node().succeeded(0).spec(
      {{"runPolicy", {{"suspend", true}, {"activeDeadlineSeconds", 1}}}});
  EXPECT_EQ(plan_for(job, 110).status->phase, Phase::kSucceeded);
}

}  // namespace
}  // namespace lockstep
