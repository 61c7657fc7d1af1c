// The budget and the back-off of restarts.
#include "operator/plan/restart.h"

#include <gmock/gmock.h>

#include "tests/support/job_builder.h"

namespace lockstep {
namespace {

using testing::HasSubstr;

const Loss kFailed{.kind = LossKind::kFailure, .evidence = {}, .died = {}};
const Loss kEvicted{.kind = LossKind::kDisruption, .evidence = {}, .died = {}};
const Loss kUsage{.kind = LossKind::kPermanentFailure, .evidence = {}, .died = {}};

TEST(Budget, AllowsExactlyBackoffLimitFailures) {
  for (const int limit : {0, 1, 3}) {
    for (int failures = 0; failures <= limit; ++failures) {
      const auto job = a_job()
                           .spec({{"runPolicy", {{"backoffLimit", limit}}}})
                           .status({{"restarts", {{"failures", failures}, {"disruptions", 99}}}})
                           .job();
      EXPECT_EQ(final_verdict(job, kFailed).has_value(), failures == limit) << limit << failures;
      EXPECT_FALSE(final_verdict(job, kEvicted)) << "disruptions cost nothing";
    }
  }
}

TEST(Budget, IsNotSpentOnWhatARestartCannotMend) {
  const auto verdict = final_verdict(a_job().job(), kUsage);
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->reason, "PermanentFailure");
}

TEST(NextAttempt, CountsFailuresAndDisruptionsApartAndTogether) {
  JobStatus status = a_job().running().job().status;
  status = with_next_attempt(RunPolicy(), status, kFailed, after(1));
  EXPECT_EQ(status.restarts, (Restarts{.failures = 1, .disruptions = 0, .consecutive = 1}));
  EXPECT_EQ(status.attempt, 2);
  EXPECT_EQ(status.attempt_cause, AttemptCause::kFailure);
  EXPECT_FALSE(status.next_restart_time) << "the first restart is immediate";
  EXPECT_FALSE(status.pods_created);
  status = with_next_attempt(RunPolicy(), status, kEvicted, after(2));
  EXPECT_EQ(status.restarts, (Restarts{.failures = 1, .disruptions = 1, .consecutive = 2}));
  EXPECT_EQ(status.next_restart_time, after(12));
}

TEST(Budget, AllowsExactlyDisruptionLimitDisruptionsAndAnyNumberWithoutOne) {
  for (const int limit : {0, 1, 3}) {
    for (int disruptions = 0; disruptions <= limit; ++disruptions) {
      const auto job = a_job()
                           .spec({{"runPolicy", {{"disruptionLimit", limit}}}})
                           .status({{"restarts", {{"disruptions", disruptions}, {"failures", 2}}}})
                           .job();
      const auto verdict = final_verdict(job, kEvicted);
      EXPECT_EQ(verdict.has_value(), disruptions == limit) << limit << disruptions;
      EXPECT_EQ(verdict ? verdict->reason : "",
                disruptions == limit ? "DisruptionLimitExceeded" : "");
      EXPECT_FALSE(final_verdict(job, kFailed)) << "failures have a budget of their own";
    }
  }
  const auto unbounded = a_job().status({{"restarts", {{"disruptions", 1'000'000}}}}).job();
  EXPECT_FALSE(final_verdict(unbounded, kEvicted));
}

TEST(MovedCharge, StaysWhereItIsOnceTheDisruptionLimitIsReached) {
  RunPolicy policy;
  policy.disruption_limit = 1;
  JobStatus status;
  status.attempt_cause = AttemptCause::kFailure;
  status.restarts = {.failures = 2, .disruptions = 0, .consecutive = 2};
  status = with_charge_moved(policy, status);
  EXPECT_EQ(status.restarts, (Restarts{.failures = 1, .disruptions = 1, .consecutive = 2}));
  EXPECT_EQ(status.attempt_cause, AttemptCause::kDisruption);
  status.attempt_cause = AttemptCause::kFailure;
  EXPECT_EQ(with_charge_moved(policy, status), status);
}

TEST(Describe, NamesNodePodMachineExitAndLastLine) {
  LastFailure failure;
  failure.node_rank = 1;
  failure.pod = "fashion-1";
  failure.node = "worker-3";
  failure.exit_code = 3;
  failure.reason = "Error";
  failure.message = "rank 2 exited with code 3\nepoch 1/2\nlockstep-train: no such file\n\n";
  EXPECT_EQ(describe(failure),
            "node 1 (pod fashion-1 on worker-3) exited with 3: lockstep-train: no such file");
  failure.message = "rank 2 exited with code 3";
  EXPECT_EQ(describe(failure),
            "node 1 (pod fashion-1 on worker-3) exited with 3: rank 2 exited with code 3");
  failure.exit_code.reset();
  failure.reason = "PodGone";
  failure.node.clear();
  failure.message.clear();
  EXPECT_EQ(describe(failure), "node 1 (pod fashion-1) was lost, PodGone");
}

}  // namespace
}  // namespace lockstep
