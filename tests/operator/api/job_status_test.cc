// Status survives being written and read, and patches say exactly what changed.
#include "operator/api/job_status.h"

#include <gtest/gtest.h>

#include "operator/api/names.h"

namespace lockstep {
namespace {

using nlohmann::json;

JobStatus full_status() {
  const Time time = *parse_time("2026-01-02T03:04:05Z");
  JobStatus status;
  status.observed_generation = 3;
  status.phase = Phase::kRestarting;
  status.conditions = {{names::kRestarting, true, "NodeFailed", "node 1", time, 3}};
  status.attempt = 2;
  status.attempt_cause = AttemptCause::kPartialCreate;
  status.attempt_start_time = status.next_restart_time = status.create_retry_time = time;
  status.start_time = status.completion_time = time;
  status.pods_created = true;
  status.image = "lockstep/trainer:1";
  status.restarts = {1, 2, 3};
  status.nodes = {4, 1, 1, 1, 1};
  status.world_size = 8;
  status.master_address = "fashion-0.fashion.ml.svc";
  LastFailure failure;
  failure.attempt = 1;
  failure.node_rank = 1;
  failure.rank = 3;
  failure.exit_code = 137;
  failure.signal = 9;
  failure.pod = "fashion-1";
  failure.reason = "OOMKilled";
  failure.finished_at = time;
  status.last_failure = failure;
  status.display.nodes = "2/4";
  return status;
}

TEST(JobStatus, IsReadAsItWasWritten) {
  EXPECT_EQ(parse_status(to_json(full_status())), full_status());
  EXPECT_EQ(parse_status(to_json(JobStatus())), JobStatus());
}

TEST(JobStatus, UsesTheDocumentedNames) {
  const json status = to_json(full_status());
  EXPECT_EQ(status["attemptCause"], "PartialCreate");
  EXPECT_EQ(status["conditions"][0]["status"], "True");
  EXPECT_EQ(status["lastFailure"]["nodeRank"], 1);
  EXPECT_EQ(status["restarts"]["disruptions"], 2);
  EXPECT_FALSE(to_json(JobStatus()).contains("lastFailure"));
}

TEST(JobStatus, ReadsDamagedFieldsAsAbsent) {
  const JobStatus status = parse_status(json::parse(
      R"({"attempt": "2", "phase": "Dancing", "conditions": 7,
          "startTime": "noon", "nodes": []})"));
  EXPECT_EQ(status, JobStatus());
}

TEST(MergePatch, IsEmptyForEqualValues) {
  EXPECT_EQ(merge_patch(to_json(full_status()), to_json(full_status())), json::object());
}

TEST(MergePatch, TurnsOneStatusIntoAnyOther) {
  JobStatus after = full_status();
  after.last_failure.reset();
  after.next_restart_time.reset();
  after.attempt = 3;
  after.display = {};
  json document = to_json(full_status());
  document.merge_patch(merge_patch(document, to_json(after)));
  EXPECT_EQ(document, to_json(after));
}

TEST(MergePatch, NamesOnlyWhatChanged) {
  const json before = {{"a", 1}, {"b", {{"c", 1}, {"d", 2}}}, {"e", 5}};
  const json after = {{"a", 1}, {"b", {{"c", 9}, {"d", 2}}}};
  EXPECT_EQ(merge_patch(before, after), json::parse(R"({"b": {"c": 9}, "e": null})"));
}

}  // namespace
}  // namespace lockstep
