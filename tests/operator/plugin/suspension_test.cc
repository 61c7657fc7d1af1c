// What suspend, resume and restart do in which state.
#include "operator/plugin/suspension.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "operator/api/names.h"
#include "tests/operator/plugin/answers.h"

namespace lockstep {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

std::string complaint(const Result<Change>& change) {
  return change ? "no error" : change.error().message;
}

TEST(Suspension, IsWrittenWhereItIsNew) {
  const Change change = *suspension_of(job_of("fashion"));
  EXPECT_EQ(change.suspend, true);
  EXPECT_THAT(change.sentence, HasSubstr("kubectl lockstep resume fashion -n vision"));
  EXPECT_FALSE(suspension_of(job_of("idle"))->suspend.has_value());
  EXPECT_EQ(suspend_patch(true).dump(), R"({"spec":{"runPolicy":{"suspend":true}}})");
}

TEST(Suspension, IsRefusedWhereItIsTooLateOrNotOurs) {
  EXPECT_THAT(complaint(suspension_of(job_of("broken"))),
              HasSubstr("broken has ended (Failed) and cannot be suspended"));
  EXPECT_THAT(complaint(resumption_of(job_of("broken"))), HasSubstr("cannot be resumed"));
  const json others = {{"spec", {{"runPolicy", {{"managedBy", "example.com/other"}}}}}};
  EXPECT_EQ(complaint(suspension_of(job_of("fashion", others))),
            "fashion is managed by example.com/other, which decides");
  const json going = {{"metadata", {{"deletionTimestamp", "2026-11-30T16:49:30Z"}}}};
  EXPECT_THAT(complaint(suspension_of(job_of("fashion", going))), HasSubstr("is being deleted"));
}

TEST(Resumption, LeavesTheStartToTheQueue) {
  EXPECT_EQ(resumption_of(job_of("idle"))->suspend, false);
  EXPECT_EQ(resumption_of(job_of("idle"))->sentence, "idle is resumed");
  json queued = {{"status", {{"display", {{"queue", "vision"}}}}}};
  EXPECT_EQ(resumption_of(job_of("idle", queued))->sentence,
            "idle is resumed, and waits in the queue vision, which decides when it starts");
  queued["spec"]["runPolicy"]["suspend"] = false;
  const Change held = *resumption_of(job_of("idle", queued));
  EXPECT_FALSE(held.suspend.has_value());
  EXPECT_THAT(held.sentence, HasSubstr("idle is not suspended: the queue vision decides"));
  EXPECT_EQ(resumption_of(job_of("fashion"))->sentence, "fashion is not suspended");
}

TEST(Restart, NeedsAJobThatIsNotHeld) {
  EXPECT_EQ(restart_of(job_of("fashion"))->suspend, true);
  EXPECT_THAT(complaint(restart_of(job_of("idle"))), HasSubstr("resume idle -n vision` starts it"));
  const json queued = {{"spec", {{"runPolicy", {{"suspend", false}}}}}};
  EXPECT_THAT(complaint(restart_of(job_of("idle", queued))), HasSubstr("idle does not run"));
}

TEST(Restart, WaitsForTheOperatorToTakeTheAttemptBack) {
  EXPECT_TRUE(is_stopped(job_of("idle")));
  EXPECT_FALSE(is_stopped(job_of("fashion")));
  EXPECT_FALSE(is_stopped(job_of("idle", {{"metadata", {{"generation", 2}}}})))
      << "the status is about an earlier suspension";
}

TEST(Restart, TellsHowFarItIs) {
  const Step runs = after_resumption(job_of("fashion"));
  EXPECT_EQ(runs.sentence, "attempt 2 runs on all nodes");
  EXPECT_TRUE(runs.is_over && runs.is_good);
  EXPECT_FALSE(after_resumption(job_of("fashion", {{"metadata", {{"generation", 2}}}})).is_over);
  const Step waits = after_resumption(job_of("typo"));
  EXPECT_THAT(waits.sentence, HasSubstr("Back-off pulling image"));
  EXPECT_FALSE(waits.is_over);
  const Step failed = after_resumption(job_of("broken"));
  EXPECT_TRUE(failed.is_over && !failed.is_good);
}

TEST(Restart, SaysWhatAnInterruptionLeaves) {
  EXPECT_THAT(what_is_left(job_of("idle")),
              HasSubstr("idle is suspended now, its checkpoints stay: `kubectl lockstep resume"));
  EXPECT_THAT(what_is_left(job_of("typo")), HasSubstr("typo is resumed and attempt 1: "));
}

}  // namespace
}  // namespace lockstep
