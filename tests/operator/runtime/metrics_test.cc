// The text that Prometheus reads.
#include "operator/runtime/metrics.h"

#include <gmock/gmock.h>

namespace lockstep {
namespace {

using ::testing::HasSubstr;

TEST(Metrics, CountsRequestsByVerbResourceAndCode) {
  Metrics metrics;
  metrics.count_request(get_request(kPods, {"ml", "a"}), 404);
  metrics.count_request(get_request(kPods, {"ml", "b"}), 404);
  EXPECT_THAT(
      metrics.text(),
      HasSubstr("lockstep_api_requests_total{code=\"404\",resource=\"pods\",verb=\"get\"} 2"));
}

TEST(Metrics, ShowsEveryPhaseAndForgetsOldCounts) {
  Metrics metrics;
  metrics.set_jobs({{"Running", 3}});
  EXPECT_THAT(metrics.text(), HasSubstr("lockstep_jobs{phase=\"Running\"} 3"));
  metrics.set_jobs({{"Failed", 1}});
  EXPECT_THAT(metrics.text(), HasSubstr("lockstep_jobs{phase=\"Running\"} 0"));
  EXPECT_THAT(metrics.text(), HasSubstr("lockstep_jobs{phase=\"Pending\"} 0"));
}

TEST(Metrics, MeasuresPassesByResult) {
  Metrics metrics;
  metrics.observe_reconcile(std::chrono::milliseconds(20), "ok");
  EXPECT_THAT(metrics.text(),
              HasSubstr("lockstep_reconcile_seconds_bucket{result=\"ok\",le=\"0.03\"} 1"));
  EXPECT_THAT(metrics.text(),
              HasSubstr("lockstep_reconcile_seconds_bucket{result=\"ok\",le=\"0.01\"} 0"));
}

TEST(Metrics, CountsTransitionsAndWatchRestarts) {
  Metrics metrics;
  metrics.count_transition("Failed", "BackoffLimitExceeded");
  metrics.count_watch_restart("pods", "Expired");
  metrics.set_queue_depth(4);
  EXPECT_THAT(
      metrics.text(),
      HasSubstr("lockstep_job_transitions_total{reason=\"BackoffLimitExceeded\",to=\"Failed\"} 1"));
  EXPECT_THAT(metrics.text(),
              HasSubstr("lockstep_watch_restarts_total{reason=\"Expired\",resource=\"pods\"} 1"));
  EXPECT_THAT(metrics.text(), HasSubstr("lockstep_workqueue_depth 4"));
}

}  // namespace
}  // namespace lockstep
