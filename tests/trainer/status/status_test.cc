// The JSON lines of a rank, read back by the launcher's own rules.
#include "trainer/status/status.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "trainer/launch/report.h"

namespace lockstep {
namespace {

const Status kWhole{.phase = Phase::kEval,
                    .epoch = 2,
                    .epochs = 3,
                    .step = 640,
                    .steps = 900,
                    .checkpoint_step = 600,
                    .figures = {.loss = -0.25,
                                .samples_per_second = 1234567.5,
                                .seconds_remaining = 31,
                                .data_wait = 1e-9,
                                .comm_wait = 1,
                                .mfu = 0.5,
                                .memory = 2e9}};

TEST(StatusLine, SaysEveryFieldOfTheDocument) {
  const std::string line = line_of(kWhole);
  EXPECT_EQ(nlohmann::json::parse(line), (nlohmann::json{{"phase", "eval"},
                                                         {"epoch", 2},
                                                         {"epochs", 3},
                                                         {"step", 640},
                                                         {"steps", 900},
                                                         {"checkpointStep", 600},
                                                         {"loss", -0.25},
                                                         {"samplesPerSecond", 1234567.5},
                                                         {"secondsRemaining", 31},
                                                         {"dataWait", 1e-9},
                                                         {"commWait", 1},
                                                         {"mfu", 0.5},
                                                         {"memory", 2e9}}));
  EXPECT_EQ(line.find('\n'), line.size() - 1);
}

TEST(StatusLine, IsWhatTheLauncherAccepts) {
  Report report;
  EXPECT_EQ(merge_line(report, line_of(kWhole)), "");
  for (const FieldRule& rule : kFieldRules) EXPECT_TRUE(report[rule.field]) << rule.name;
}

TEST(StatusLine, NamesEveryPhaseAsTheLauncherDoes) {
  for (const auto& [phase, name] :
       std::initializer_list<std::pair<Phase, const char*>>{{Phase::kInit, "init"},
                                                            {Phase::kData, "data"},
                                                            {Phase::kStep, "step"},
                                                            {Phase::kCheckpoint, "checkpoint"},
                                                            {Phase::kEval, "eval"},
                                                            {Phase::kDone, "done"}}) {
    Report report;
    EXPECT_EQ(merge_line(report, line_of({.phase = phase})), "");
    EXPECT_EQ(report.phase, name);
  }
}

TEST(StatusLine, LeavesOutWhatIsUnknownOrNoNumber) {
  EXPECT_EQ(line_of({}), "{\"phase\": \"init\"}\n");
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(line_of({.phase = Phase::kStep,
                     .step = 7,
                     .figures = {.loss = std::numeric_limits<double>::quiet_NaN(),
                                 .samples_per_second = kInfinity,
                                 .seconds_remaining = -kInfinity}}),
            "{\"phase\": \"step\", \"step\": 7}\n");
}

TEST(StatusLine, KeepsTheLargestNumbersWhole) {
  const std::int64_t largest = (std::int64_t{1} << 53) - 1;
  EXPECT_EQ(line_of({.step = largest}), "{\"phase\": \"init\", \"step\": 9007199254740991}\n");
}

}  // namespace
}  // namespace lockstep
