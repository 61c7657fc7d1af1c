// The pages of a node, as docs/progress.md describes them.
#include "trainer/launch/node_status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

namespace lockstep {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

RankStatus rank(int number, const std::string& line, std::optional<double> silent_seconds) {
  RankStatus status{.rank = number, .report = {}, .silent_seconds = silent_seconds, .lines = {}};
  EXPECT_EQ(merge_line(status.report, line), "");
  return status;
}

json progress(const NodeStatus& node) { return json::parse(progress_page(node)); }

const char kStep9[] = R"({"phase":"step","epoch":1,"step":9})";
const char kSaves9[] = R"({"phase":"checkpoint","epoch":1,"step":9})";

TEST(NodeStatus, TellsAllThatIsKnown) {
  NodeStatus node{"team/mnist", "uid-7", 2, 1, {}};
  node.ranks = {rank(4, R"({"phase":"step","epoch":1,"epochs":3,"step":9,"loss":0.5})", 1.23456),
                rank(5, R"({"phase":"data","epoch":1,"step":8})", 0.5)};
  node.ranks[1].lines.rejected = 3;
  EXPECT_EQ(progress(node), json::parse(R"({
    "schema": 1, "job": "team/mnist", "uid": "uid-7", "attempt": 2, "nodeRank": 1, "secondsSinceProgress": 0.5,
    "progress": {"rank": 4, "phase": "step", "epoch": 1, "epochs": 3, "step": 9, "loss": 0.5},
    "slowest": {"rank": 5, "running": true, "phase": "data", "epoch": 1, "step": 8,
                "secondsSinceProgress": 0.5, "rejected": 3},
    "ranks": [{"rank": 4, "running": true, "phase": "step", "epoch": 1, "step": 9,
               "secondsSinceProgress": 1.235},
              {"rank": 5, "running": true, "phase": "data", "epoch": 1, "step": 8,
               "secondsSinceProgress": 0.5, "rejected": 3}],
    "ranksLeftOut": 0})"));
}

TEST(NodeStatus, SaysNothingOfRanksThatSayNothing) {
  const NodeStatus node{"", "", 1, 0, {rank(0, "{}", std::nullopt)}};
  EXPECT_EQ(progress(node), json::parse(R"({"schema": 1, "attempt": 1, "nodeRank": 0,
    "ranks": [{"rank": 0, "running": true}], "ranksLeftOut": 0})"));
}

TEST(NodeStatus, FindsTheRankTheOthersWaitFor) {
  const struct {
    const char* name;
    std::vector<RankStatus> ranks;
    int slowest;
  } cases[] = {
      {"an earlier step", {rank(0, kStep9, 5), rank(1, R"({"epoch":1,"step":8})", 0)}, 1},
      {"an earlier epoch", {rank(0, R"({"epoch":2,"step":0})", 5), rank(1, kStep9, 0)}, 1},
      {"silent longer", {rank(0, kStep9, 1), rank(1, kStep9, 2), rank(2, kStep9, 1)}, 1},
      {"one that saves", {rank(0, kStep9, 2), rank(1, kSaves9, 1), rank(2, kStep9, 2)}, 1},
      {"one that never spoke", {rank(0, "{}", std::nullopt), rank(1, kStep9, 2)}, 1},
      {"one that is done", {rank(0, R"({"phase":"done"})", 9), rank(1, kStep9, 2)}, 1},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(progress({"", "", 1, 0, c.ranks})["slowest"]["rank"], c.slowest) << c.name;
  }
}

TEST(NodeStatus, MovesAsLongAsOneRankDoes) {
  NodeStatus node{"", "", 1, 0, {rank(0, kStep9, 0.1), rank(1, kStep9, 600)}};
  EXPECT_EQ(progress(node)["secondsSinceProgress"], 0.1);
  node.ranks[0].is_running = false;
  EXPECT_EQ(progress(node)["secondsSinceProgress"], 0.1) << "the others have time to end, too";
  EXPECT_EQ(progress(node)["progress"]["rank"], 0) << "its last words are still known";
  EXPECT_FALSE(progress(node)["ranks"][0].contains("secondsSinceProgress"));
}

TEST(NodeStatus, StaysBelow64Kibibytes) {
  const std::string longest =
      R"({"phase":"checkpoint","epoch":9007199254740991,"step":9007199254740991,)"
      R"("loss":-1.2345678901234567e-300})";
  NodeStatus node{std::string(253, '\xff'), "", 1 << 30, 1 << 30, {}};
  for (int i = 0; i < 1024; ++i) {
    node.ranks.push_back(rank((1 << 20) + i, longest, 31536000.123));
    node.ranks.back().lines.rejected = INT64_MAX;
  }
  EXPECT_LT(progress_page(node).size(), 64U << 10);
  EXPECT_EQ(progress(node)["ranks"].size(), 256);
  EXPECT_EQ(progress(node)["ranksLeftOut"], 768);
}

TEST(NodeStatus, HasMetricsThatPrometheusCanRead) {
  NodeStatus node{"mnist", "", 1, 0, {rank(0, kStep9, 1.5), rank(1, R"({"dataWait":0.25})", 0)}};
  node.ranks[1].is_running = false;
  const std::string page = metrics_page(node);
  EXPECT_THAT(page, HasSubstr("\nlockstep_rank_step{rank=\"0\"} 9.0\n"));
  EXPECT_THAT(page, HasSubstr("\nlockstep_rank_data_wait_ratio{rank=\"1\"} 0.25\n"));
  EXPECT_THAT(page, HasSubstr("\nlockstep_rank_phase{rank=\"0\",phase=\"step\"} 1.0\n"));
  EXPECT_THAT(page, HasSubstr("\nlockstep_rank_seconds_since_progress{rank=\"0\"} 1.5\n"));
  EXPECT_THAT(page, HasSubstr("\nlockstep_rank_up{rank=\"1\"} 0.0\n"));
  EXPECT_THAT(page, Not(HasSubstr("mnist")));
  EXPECT_THAT(page, Not(HasSubstr("lockstep_rank_loss"))) << "no rank has told one";
  const std::regex well(R"(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+\{[a-z]+="\w+"(,[a-z]+="\w+")*\} \S+)");
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_TRUE(std::regex_match(line, well)) << line;
  }
}

}  // namespace
}  // namespace lockstep
