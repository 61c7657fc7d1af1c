// The budget and the back-off of restarts.
#include "operator/plan/restart.h"

#include <gmock/gmock.h>

#include "tests/support/job_builder.h"

namespace lockstep {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;

const Loss kFailed{.kind = LossKind::kFailure, .evidence = {}, .died = {}};
const Loss kEvicted{.kind = LossKind::kDisruption, .evidence = {}, .died = {}};
const Loss kUsage{.kind = LossKind::kPermanentFailure, .evidence = {}, .died = {}};

TEST(Backoff, StartsAtOnceAndDoublesToFiveMinutes) {
  const int expected[] = {0, 0, 10, 20, 40, 80, 160, 300, 300};
  for (int n = 0; n < 9; ++n) EXPECT_EQ(restart_delay(n).count(), expected[n]) << n;
  EXPECT_EQ(restart_delay(2'000'000'000).count(), 300);
}

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
  status = with_next_attempt(status, kFailed, after(1));
  EXPECT_EQ(status.restarts, (Restarts{.failures = 1, .disruptions = 0, .consecutive = 1}));
  EXPECT_EQ(status.attempt, 2);
  EXPECT_EQ(status.attempt_cause, AttemptCause::kFailure);
  EXPECT_FALSE(status.next_restart_time) << "the first restart is immediate";
  EXPECT_FALSE(status.pods_created);
  status = with_next_attempt(status, kEvicted, after(2));
  EXPECT_EQ(status.restarts, (Restarts{.failures = 1, .disruptions = 1, .consecutive = 2}));
  EXPECT_EQ(status.next_restart_time, after(12));
}

TEST(NextAttempt, StartsTheCountOverAfterAStableStretch) {
  JobStatus status = a_job().running().job().status;  // since noon
  status.restarts.consecutive = 5;
  EXPECT_EQ(with_next_attempt(status, kFailed, after(599)).restarts.consecutive, 6);
  EXPECT_EQ(with_next_attempt(status, kFailed, after(600)).restarts.consecutive, 1);
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
