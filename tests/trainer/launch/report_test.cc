// The schema of docs/progress.md, line by line.
#include "trainer/launch/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep {
namespace {

using testing::HasSubstr;

TEST(Report, TakesEveryField) {
  Report report;
  ASSERT_EQ(merge_line(report, R"({"schema":1,"phase":"eval","epoch":2,"epochs":3,"step":120,)"
                               R"("steps":900,"checkpointStep":100,"loss":-0.5,)"
                               R"("samplesPerSecond":5100.5,"secondsRemaining":12,"dataWait":0,)"
                               R"("commWait":1,"mfu":0.5,"memory":2e9})"),
            "");
  EXPECT_EQ(report.phase, "eval");
  const struct {
    Field field;
    double value;
  } cases[] = {
      {Field::kEpoch, 2},
      {Field::kEpochs, 3},
      {Field::kStep, 120},
      {Field::kSteps, 900},
      {Field::kCheckpointStep, 100},
      {Field::kLoss, -0.5},
      {Field::kSamplesPerSecond, 5100.5},
      {Field::kSecondsRemaining, 12},
      {Field::kDataWait, 0},
      {Field::kCommWait, 1},
      {Field::kMfu, 0.5},
      {Field::kMemory, 2e9},
  };
  for (const auto& c : cases) EXPECT_EQ(report[c.field], c.value) << static_cast<int>(c.field);
}

TEST(Report, KeepsWhatALineLeavesOut) {
  Report report;
  merge_line(report, R"({"phase":"step","step":7})");
  merge_line(report, R"({"phase":"checkpoint"})");
  EXPECT_EQ(report.phase, "checkpoint");
  EXPECT_EQ(report[Field::kStep], 7);
}

TEST(Report, TakesUnusualLines) {
  for (const char* line :
       {"{}", " {\"step\": 0}\r", R"({"mood":{"good":[true,null]}})", R"({"loss":-1e308})",
        R"({"step":9007199254740991})", R"({"step":1,"step":2})", R"({"loss":3})"}) {
    Report report;
    EXPECT_EQ(merge_line(report, line), "") << line;
  }
}

TEST(Report, NamesWhatIsWrongAndChangesNothing) {
  const struct {
    std::string line;
    const char* fault;
  } cases[] = {
      {"", "it is no JSON object"},
      {"step 3", "it is no JSON object"},
      {"[1,2]", "it is no JSON object"},
      {"null", "it is no JSON object"},
      {R"({"step":3)", "it is no JSON object"},
      {R"({"step":3} {"step":4})", "it is no JSON object"},
      {R"({'step':3})", "it is no JSON object"},
      {R"({"loss":NaN})", "it is no JSON object"},
      {R"({"loss":-Infinity})", "it is no JSON object"},
      {R"({"loss":1e999})", "it is no JSON object"},
      {"{\"phase\":\"\xff\"}", "it is no JSON object"},
      {std::string(4000, '['), "it is no JSON object"},
      {R"({"loss":"0.5"})", "\"loss\" is no number"},
      {R"({"loss":null})", "\"loss\" is no number"},
      {R"({"loss":true})", "\"loss\" is no number"},
      {R"({"step":3.5})", "\"step\" is no whole number"},
      {R"({"step":"3"})", "\"step\" is no whole number"},
      {R"({"step":-1})", "\"step\" is negative"},
      {R"({"step":9007199254740992})", "\"step\" is too large"},
      {R"({"step":18446744073709551615})", "\"step\" is too large"},
      {R"({"samplesPerSecond":-0.1})", "\"samplesPerSecond\" is negative"},
      {R"({"dataWait":1.01})", "\"dataWait\" is too large"},
      {R"({"phase":"lunch"})", "\"phase\" is none of init"},
      {R"({"phase":3})", "\"phase\" is none of init"},
      {R"({"schema":2})", "\"schema\" is not 1"},
      {R"({"loss":9,"step":9,"phase":"done","schema":"1"})", "\"schema\" is not 1"},
  };
  for (const auto& c : cases) {
    Report report;
    merge_line(report, R"({"phase":"step","step":7,"loss":0.5})");
    EXPECT_THAT(merge_line(report, c.line), HasSubstr(c.fault)) << c.line;
    EXPECT_EQ(report.phase, "step") << c.line;
    EXPECT_EQ(report[Field::kStep], 7) << c.line;
    EXPECT_EQ(report[Field::kLoss], 0.5) << c.line;
  }
}

TEST(Report, HasItsRulesInTheOrderOfTheFields) {
  for (std::size_t i = 0; i < kFieldCount; ++i) {
    EXPECT_EQ(static_cast<std::size_t>(kFieldRules[i].field), i);
  }
}

}  // namespace
}  // namespace lockstep
