// When progress reaches status, and how the columns read.
#include "operator/plan/progress.h"

#include <gtest/gtest.h>

#include "operator/api/names.h"
#include "tests/operator/plan/planned.h"

namespace lockstep {
namespace {

Observed with_progress(const JobBuilder& job, Progress progress) {
  Observed seen = job.observed();
  NodeReport report{.job = "fashion", .attempt = 1, .silent_seconds = 0.1, .progress = progress};
  seen.reports = Reports{1, {{0, report}}};
  return seen;
}

JobBuilder settled() {
  JobBuilder job = a_job().running();
  return written(job, plan_for(job, 10));
}

TEST(Progress, IsWrittenAtOnceAndThenAtMostEachTenSeconds) {
  JobBuilder job = settled();
  const Plan first = decide(with_progress(job, {.step = 1, .steps = 9}), after(20));
  ASSERT_TRUE(first.status);
  EXPECT_EQ(first.status->progress->step, 1);
  job = written(job, first);
  EXPECT_TRUE(is_idle(decide(with_progress(job, {.step = 2, .steps = 9}), after(29.9))));
  EXPECT_EQ(decide(with_progress(job, {.step = 3, .steps = 9}), after(30)).status->progress->step,
            3);
}

TEST(Progress, CausesNoWriteWhileItStandsStill) {
  JobBuilder job = settled();
  job = written(job, decide(with_progress(job, {.step = 1, .loss = 0.123}), after(20)));
  EXPECT_TRUE(is_idle(decide(with_progress(job, {.step = 1, .loss = 0.123}), after(500))));
}

TEST(Progress, OfAnotherAttemptIsNotBelieved) {
  Observed seen = with_progress(settled(), {.step = 1});
  seen.reports->attempt = 2;
  EXPECT_FALSE(decide(seen, after(20)).status);
}

TEST(Progress, StaysWhenNobodyAnswersAndAfterTheEnd) {
  JobBuilder job = settled();
  job = written(
      job, decide(with_progress(job, {.step = 9, .steps = 9, .seconds_remaining = 5}), after(20)));
  EXPECT_TRUE(is_idle(plan_for(job, 60)));
  const Plan end = plan_for(job.succeeded(0).succeeded(1), 60);
  EXPECT_EQ(end.status->progress->step, 9);
  EXPECT_EQ(end.status->display.progress, "100%");
  EXPECT_EQ(end.status->display.eta, "");
}

TEST(Progress, EndsWithWhatTheFirstNodeSaidLast) {
  JobBuilder job = settled();
  job = written(job, decide(with_progress(job, {.step = 7, .steps = 9}), after(20)));
  const auto end = [&](const std::string& words) {
    JobBuilder ended = job;
    ended.succeeded(0).succeeded(1).pod(
        0, {{"status",
             {{"containerStatuses",
               {{{"name", "trainer"},
                 {"state", {{"terminated", {{"exitCode", 0}, {"message", words}}}}}}}}}}});
    return *plan_for(ended, 21).status;
  };
  EXPECT_EQ(end(R"({"progress": {"step": 9, "steps": 9, "loss": 0.5}})").display.progress, "100%");
  EXPECT_EQ(end(R"({"progress": {"step": 9, "steps": 9, "loss": 0.5}})").display.loss, "0.5");
  for (const char* words : {"", "done", "{\"progress\": 9}", "[1]", "{\"progress\""}) {
    EXPECT_EQ(end(words).display.progress, "77%") << words;
  }
}

TEST(Progress, IsShownAsPeopleReadIt) {
  const auto shown = [](Progress progress, Phase phase = Phase::kRunning) {
    JobStatus status;
    status.progress = progress;
    status.phase = phase;
    fill_progress_columns(status);
    const Display& display = status.display;
    return display.progress + "|" + display.eta + "|" + display.throughput + "|" + display.loss;
  };
  EXPECT_EQ(shown({}), "|||");
  EXPECT_EQ(shown({.step = 42, .steps = 100, .loss = 0.41999}), "42%|||0.42");
  EXPECT_EQ(shown({.step = 42}), "step 42|||");
  EXPECT_EQ(shown({.epoch = 2}), "epoch 2|||");
  const std::vector<std::pair<double, std::string>> kDurations = {{0, "0s"},
                                                                  {0.2, "1s"},
                                                                  {59, "59s"},
                                                                  {60, "1m0s"},
                                                                  {190, "3m10s"},
                                                                  {3599, "59m"},
                                                                  {3 * 3600, "3h0m"},
                                                                  {90061, "25h1m"},
                                                                  {10 * 86400, "10d0h"},
                                                                  {1e30, "11574074d1h"}};
  for (const auto& [seconds, text] : kDurations) {
    EXPECT_EQ(shown({.seconds_remaining = seconds}), "|" + text + "||");
  }
  const std::vector<std::pair<double, std::string>> kRates = {
      {0, "0/s"},        {0.5, "0.5/s"},   {7, "7/s"},       {512, "512/s"},
      {999.6, "1.0k/s"}, {5100, "5.1k/s"}, {51234, "51k/s"}, {2.5e6, "2.5M/s"}};
  for (const auto& [rate, text] : kRates) {
    EXPECT_EQ(shown({.samples_per_second = rate}), "||" + text + "|");
  }
  EXPECT_EQ(shown({.samples_per_second = 5, .seconds_remaining = 5}, Phase::kRestarting), "|||");
}

}  // namespace
}  // namespace lockstep
