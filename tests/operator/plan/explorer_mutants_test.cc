// That the explorer finds what is broken on purpose.
#include <gmock/gmock.h>

#include <map>
#include <memory>

#include "operator/api/names.h"
#include "tests/operator/plan/explorer.h"

namespace lockstep {
namespace {

using testing::HasSubstr;

const nlohmann::json kPolicy = {{"backoffLimit", 1}, {"disruptionLimit", 1}};

std::string fault_of(const Decide& broken, bool is_fenced = true) {
  const World world({StoredJob("sim", 2, kPolicy)});
  return explore({world, SimulatedOperator(broken, is_fenced)}, 6).fault;
}

std::vector<Action> deletions(const Observed& seen) {
  std::vector<Action> actions;
  for (const Pod& pod : seen.pods) actions.push_back(DeletePod{pod.meta.name, pod.meta.uid, {}});
  return actions;
}

TEST(Explorer, FindsPodsDeletedBeforeTheAttemptIsRaised) {
  EXPECT_THAT(fault_of([](const Observed& seen, Time now) {
                Plan plan = decide(seen, now);
                const bool raises = plan.status && plan.status->attempt > seen.job.status.attempt &&
                                    seen.job.status.attempt > 0;
                if (!raises || deletions(seen).empty()) return plan;
                plan.status.reset();
                plan.actions = deletions(seen);
                return plan;
              }),
              HasSubstr("deleted before the attempt was raised"));
}

TEST(Explorer, FindsAPlanThatGoesOnAlthoughTheJobChanged) {
  EXPECT_THAT(fault_of(decide, /*is_fenced=*/false), HasSubstr("a pod was created for"));
}

TEST(Explorer, FindsTwoAttemptsAtOnce) {
  EXPECT_THAT(fault_of([](Observed seen, Time now) {
                std::erase_if(seen.pods, [&](const Pod& pod) {
                  return pod.meta.labels.at(names::kAttempt) !=
                         std::to_string(seen.job.status.attempt);
                });
                return decide(seen, now);
              }),
              HasSubstr("two attempts have pods at once"));
}

TEST(Explorer, FindsARestartThatIsNotCounted) {
  EXPECT_THAT(fault_of([](const Observed& seen, Time now) {
                Plan plan = decide(seen, now);
                if (plan.status) plan.status->restarts.failures = 0;
                return plan;
              }),
              HasSubstr("a restart was miscounted"));
}

TEST(Explorer, FindsADisruptionChargedAsAFailure) {
  EXPECT_THAT(fault_of([](const Observed& seen, Time now) {
                Plan plan = decide(seen, now);
                if (plan.status && plan.status->restarts.disruptions > 0) {
                  plan.status->restarts = {.failures = 1, .disruptions = 0};
                }
                return plan;
              }),
              HasSubstr("a failure was charged that nobody had"));
}

TEST(Explorer, FindsSuccessThatCameTooEarly) {
  EXPECT_THAT(fault_of([](Observed seen, Time now) {
                seen.job.spec.run_policy.success_policy = SuccessPolicy::kFirstNode;
                return decide(seen, now);
              }),
              HasSubstr("complete before all nodes were"));
}

TEST(Explorer, FindsAnEndThatDoesNotStay) {
  EXPECT_THAT(fault_of([](Observed seen, Time now) {
                if (seen.job.status.is_finished()) seen.job.status.conditions.clear();
                return decide(seen, now);
              }),
              HasSubstr("finished job"));
}

TEST(Explorer, FindsAStaleCacheThatIsBelieved) {
  EXPECT_THAT(fault_of([](Observed seen, Time now) {
                for (int rank = 0; rank < seen.job.spec.num_nodes; ++rank) {
                  seen.gone_ranks.insert(rank);
                }
                seen.job.status.pods_created = seen.job.status.attempt > 0;
                return decide(seen, now);
              }),
              HasSubstr("a disruption was charged that nobody had"));
}

TEST(Explorer, FindsAJobThatNeverEnds) {
  EXPECT_THAT(fault_of([](const Observed& seen, Time now) {
                Plan plan = decide(seen, now);
                if (plan.status && plan.status->is_finished()) plan.status.reset();
                return plan;
              }),
              HasSubstr("no end"));
}

TEST(Explorer, FindsANamesakesPodsTakenForOurs) {
  EXPECT_THAT(fault_of([](Observed seen, Time now) {
                for (Pod& pod : seen.pods) pod.meta.controller_uid = seen.job.meta.uid;
                return decide(seen, now);
              }),
              testing::Not(""));
}

// Whether the plan gives a half-made attempt back.
bool is_given_back(const Observed& seen, const Plan& plan) {
  return plan.status && plan.status->attempt > seen.job.status.attempt &&
         plan.status->attempt_cause == AttemptCause::kPartialCreate;
}

TEST(Explorer, FindsARefusalThatIsChargedToTheBudget) {
  EXPECT_THAT(fault_of([](const Observed& seen, Time now) {
                Plan plan = decide(seen, now);
                if (is_given_back(seen, plan)) ++plan.status->restarts.failures;
                return plan;
              }),
              HasSubstr("a restart was miscounted"));
}

TEST(Explorer, FindsARetryBesideThePodsThatWereMade) {
  EXPECT_THAT(fault_of([](Observed seen, Time now) {
                if (seen.job.status.attempt_cause == AttemptCause::kPartialCreate) {
                  std::erase_if(seen.pods, [&](const Pod& pod) {
                    return pod.meta.labels.at(names::kAttempt) !=
                           std::to_string(seen.job.status.attempt);
                  });
                }
                return decide(seen, now);
              }),
              HasSubstr("two attempts have pods at once"));
}

TEST(Explorer, FindsARetryThatNobodyWakesUpFor) {
  EXPECT_THAT(fault_of([](const Observed& seen, Time now) {
                Plan plan = decide(seen, now);
                if (seen.job.status.create_retry_time) plan.look_again.reset();
                return plan;
              }),
              HasSubstr("no end"));
}

TEST(Explorer, FindsANameThatIsNeverTriedAgain) {
  EXPECT_THAT(fault_of([](const Observed& seen, Time now) {
                Plan plan = decide(seen, now);
                if (seen.job.status.is(names::kNameConflict)) plan.actions.clear();
                return plan;
              }),
              HasSubstr("called failed although nothing did"));
}

TEST(Explorer, FindsARefusalForNowThatEndsTheJob) {
  EXPECT_THAT(fault_of([](Observed seen, Time now) {
                for (RefusedCreate& refused : seen.refused) refused.kind = Refusal::kForGood;
                return decide(seen, now);
              }),
              HasSubstr("called failed although nothing did"));
}

std::string fault_of_two(const Decide& broken) {
  const World world({StoredJob("one", 2, kPolicy), StoredJob("two", 2, kPolicy)}, /*quota=*/2);
  return explore({world, SimulatedOperator(broken)}, 4, kAllOnce).fault;
}

TEST(Explorer, FindsAPodOfAnotherJobTakenForOurs) {
  auto others = std::make_shared<std::map<std::string, DeletePod>>();
  EXPECT_THAT(fault_of_two([others](const Observed& seen, Time now) {
                Plan plan = decide(seen, now);
                for (const Pod& pod : seen.pods) {
                  (*others)[pod.meta.name] = {pod.meta.name, pod.meta.uid, {}};
                }
                if (seen.job.status.attempt_cause != AttemptCause::kPartialCreate) return plan;
                for (const auto& [name, pod] : *others) {
                  if (!name.starts_with(seen.job.meta.name)) plan.actions.push_back(pod);
                }
                return plan;
              }),
              HasSubstr("a pod of another owner was deleted"));
}

TEST(Explorer, FindsTwoJobsThatRefuseEachOtherForEver) {
  EXPECT_THAT(fault_of_two([](const Observed& seen, Time now) {
                Plan plan = decide(seen, now);
                if (is_given_back(seen, plan)) {  // no spread: both come back at once
                  plan.status->create_retry_time = now + std::chrono::seconds(30);
                  plan.look_again = plan.status->create_retry_time;
                }
                return plan;
              }),
              HasSubstr("no end"));
}

}  // namespace
}  // namespace lockstep
