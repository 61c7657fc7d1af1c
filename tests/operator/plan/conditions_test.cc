// Conditions keep their time while they keep their truth; the phase follows from them.
#include "operator/plan/conditions.h"

#include <gtest/gtest.h>

#include "operator/api/names.h"
#include "tests/support/job_builder.h"

namespace lockstep {
namespace {

TEST(Condition, KeepsItsTransitionTimeWhileItsTruthStays) {
  JobStatus status;
  set_condition(status, "Running", false, "A", "a", after(1));
  set_condition(status, "Running", false, "B", "b", after(2));
  EXPECT_EQ(status.condition("Running")->last_transition, after(1));
  EXPECT_EQ(status.condition("Running")->reason, "B");
  set_condition(status, "Running", true, "C", "c", after(3));
  EXPECT_EQ(status.condition("Running")->last_transition, after(3));
  EXPECT_EQ(status.conditions.size(), 1u);
}

TEST(Phase, FollowsFromConditionsAlone) {
  struct Case {
    std::vector<const char*> true_ones;
    const char* running_reason;
    Phase phase;
  };
  using namespace names;
  const Case cases[] = {{{}, kWaitingForPods, Phase::kPending},
                        {{kInvalid}, kWaitingForPods, Phase::kPending},
                        {{kPodsCreated}, kUnschedulable, Phase::kPending},
                        {{kPodsCreated}, kWaitingForScheduler, Phase::kPending},
                        {{kPodsCreated}, kNodesStarting, Phase::kStarting},
                        {{kPodsCreated}, "ImagePullBackOff", Phase::kStarting},
                        {{kPodsCreated, kRunning}, kAllNodesRunning, Phase::kRunning},
                        {{kRestarting}, kWaitingForPods, Phase::kRestarting},
                        {{kRestarting, kPodsCreated}, kNodesStarting, Phase::kRestarting},
                        {{kSuspended, kRestarting}, kWaitingForPods, Phase::kSuspended},
                        {{kComplete, kPodsCreated}, kJobEnded, Phase::kSucceeded},
                        {{kFailed, kPodsCreated}, kJobEnded, Phase::kFailed}};
  for (const Case& each : cases) {
    JobStatus status;
    set_condition(status, kRunning, false, each.running_reason, "", kNoon);
    for (const char* type : each.true_ones)
      set_condition(status, type, true, each.running_reason, "", kNoon);
    EXPECT_EQ(phase_of(status), each.phase) << phase_name(each.phase);
  }
}

}  // namespace
}  // namespace lockstep
