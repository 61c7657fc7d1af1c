// The promises of decide() over all histories of small jobs; and that broken ones are found.
#include "tests/operator/plan/explorer.h"

#include <gmock/gmock.h>

#include "operator/api/names.h"

namespace lockstep {
namespace {

using nlohmann::json;
using testing::HasSubstr;

const json kPolicy = {{"backoffLimit", 1}, {"disruptionLimit", 1}};

TEST(Explorer, FindsNoBrokenPromise) {
  struct Case {
    const char* name;
    World start;
    int depth;
    std::size_t ends;  // at least: the histories have to reach what they are there for
  };
  const auto running = [](int nodes) { return with_running_nodes(World(nodes, kPolicy), decide); };
  const Case cases[] = {{"1 new node", World(1, kPolicy), 6, 10},
                        {"2 new nodes", World(2, kPolicy), 5, 0},
                        {"1 running node", running(1), 5, 100},
                        {"2 running nodes", running(2), 4, 10},
                        {"3 running nodes", running(3), 3, 0}};
  for (const Case& each : cases) {
    const Exploration found = explore(each.start, each.depth, decide);
    EXPECT_EQ(found.fault, "") << each.name;
    EXPECT_GE(found.ends, each.ends) << each.name;
    std::cout << each.name << ", " << each.depth << " events deep: " << found.states << " states, "
              << found.ends << " of them ended\n";
  }
}

std::string fault_of(const Decide& broken) { return explore(World(2, kPolicy), 6, broken).fault; }

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
  const Exploration found = explore(World(2, kPolicy), 6, decide, /*is_fenced=*/false);
  EXPECT_THAT(found.fault, HasSubstr("a pod was created for"));
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
                seen.job.status.conditions.clear();
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

}  // namespace
}  // namespace lockstep
