// status.progress and the answers of nodes, which may be anything.
#include "operator/api/progress.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

using nlohmann::json;

constexpr char kPage[] = R"({"schema": 1, "job": "fashion", "attempt": 2, "nodeRank": 1,
  "secondsSinceProgress": 0.25,
  "progress": {"rank": 4, "phase": "step", "epoch": 1, "epochs": 3, "step": 120, "steps": 900,
               "checkpointStep": 100, "loss": 0.42, "samplesPerSecond": 5100.5,
               "secondsRemaining": 190},
  "slowest": {"rank": 5, "running": true, "phase": "eval", "epoch": 1, "step": 119,
              "secondsSinceProgress": 7.5},
  "ranks": [], "ranksLeftOut": 0})";

TEST(NodeReport, IsReadAsTheLauncherWritesIt) {
  const auto report = parse_node_report(kPage);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->job, "fashion");
  EXPECT_EQ(report->attempt, 2);
  EXPECT_EQ(report->node_rank, 1);
  EXPECT_EQ(report->silent_seconds, 0.25);
  EXPECT_EQ(report->progress, (Progress{.epoch = 1,
                                        .epochs = 3,
                                        .step = 120,
                                        .steps = 900,
                                        .checkpoint_step = 100,
                                        .loss = 0.42,
                                        .samples_per_second = 5100.5,
                                        .seconds_remaining = 190}));
  EXPECT_EQ(report->slowest->rank, 5);
  EXPECT_EQ(report->slowest->phase, "eval");
  EXPECT_EQ(report->slowest->step, 119);
  EXPECT_EQ(report->slowest->silent_seconds, 7.5);
}

TEST(NodeReport, OfNoSchemaIsNone) {
  for (const std::string page :
       {"", "null", "[]", "1", "{", "{\"schema\": 2}", "{\"schema\": \"1\"}", "<html>",
        "{\"schema\": 1}}", "{\"schema\": NaN}", "\xff\xfe"}) {
    EXPECT_FALSE(parse_node_report(page)) << page;
  }
  EXPECT_FALSE(parse_node_report(std::string(60'000, '[')));
}

TEST(NodeReport, DropsEachValueThatMakesNoSense) {
  const std::vector<std::pair<const char*, std::vector<json>>> kNonsense = {
      {"epoch", {-1, 1.5, "1", nullptr, true, 9007199254740992, 18446744073709551615u}},
      {"steps", {-1, 1.5, "1", json::array(), 9007199254740992}},
      {"loss", {"nan", nullptr, 1e31, -1e31, json::object()}},
      {"samplesPerSecond", {-0.5, "fast", 1e300}},
      {"secondsRemaining", {-1, false, 1e31}}};
  for (const auto& [key, values] : kNonsense) {
    for (const json& value : values) {
      json page = json::parse(kPage);
      page["progress"] = {{key, value}};
      EXPECT_EQ(parse_node_report(page.dump())->progress, Progress()) << key << " " << value;
    }
  }
  json page = json::parse(kPage);
  page["secondsSinceProgress"] = -1;
  page["progress"] = 5;
  page["slowest"]["phase"] = "\u001b[31m";
  page["attempt"] = "2";
  const auto report = parse_node_report(page.dump());
  EXPECT_FALSE(report->silent_seconds);
  EXPECT_FALSE(report->progress);
  EXPECT_EQ(report->slowest->phase, "");
  EXPECT_EQ(report->attempt, -1);
  page["slowest"]["rank"] = -3;
  EXPECT_FALSE(parse_node_report(page.dump())->slowest);
}

TEST(Progress, ReadsBackEqualToWhatWasWritten) {
  const auto report = parse_node_report(kPage);
  EXPECT_EQ(parse_progress(to_json(*report->progress)), *report->progress);
  const Progress long_number = parse_progress({{"loss", 0.4200000166893005}});
  EXPECT_EQ(to_json(long_number).dump(), R"({"loss":0.42})");
}

TEST(Progress, CountsStepsBeforeEpochsAndRoundsDown) {
  EXPECT_EQ(percent_of({}), std::nullopt);
  EXPECT_EQ(percent_of({.step = 5}), std::nullopt);
  EXPECT_EQ(percent_of({.step = 5, .steps = 0}), std::nullopt);
  EXPECT_EQ(percent_of({.step = 899, .steps = 900}), 99);
  EXPECT_EQ(percent_of({.step = 900, .steps = 900}), 100);
  EXPECT_EQ(percent_of({.step = 901, .steps = 900}), 100);
  EXPECT_EQ(percent_of({.epoch = 1, .epochs = 3}), 0);
  EXPECT_EQ(percent_of({.epoch = 3, .epochs = 3}), 66);
  EXPECT_EQ(percent_of({.epoch = 0, .epochs = 3}), 0);
  EXPECT_EQ(percent_of({.epoch = 3, .epochs = 3, .step = 1, .steps = 4}), 25);
}

}  // namespace
}  // namespace lockstep
