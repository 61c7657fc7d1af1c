// Which pods and lines kubectl lockstep logs reads.
#include "operator/plugin/logs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/operator/plugin/answers.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

LogRequest asked(std::optional<int> rank, std::optional<int> node = {},
                 std::optional<int> attempt = {}, std::optional<int> tail = {}) {
  LogRequest request;
  request.rank = rank;
  request.node = node;
  request.attempt = attempt;
  request.tail = tail;
  return request;
}

// fashion: two nodes of two ranks, attempt 2.
Result<LogSource> source(const LogRequest& request, const std::string& job = "fashion") {
  return choose_source(job_of(job), pods_of(job), request);
}

std::string complaint(const LogRequest& request, const std::string& job = "fashion") {
  const auto found = source(request, job);
  return found ? "no error" : found.error().message;
}

std::string selector(const std::string& nodes) {
  return "lockstep.dev/job-uid=" + job_of("fashion").meta.uid +
         ",lockstep.dev/attempt=2,lockstep.dev/node-rank in (" + nodes + ")";
}

TEST(Logs, AreThoseOfAllNodes) {
  const LogSource all = *source({});
  EXPECT_THAT(all.nodes, ElementsAre(0, 1));
  EXPECT_EQ(all.prefix, "");
  EXPECT_THAT(
      logs_arguments(job_of("fashion"), all, {}),
      ElementsAre("logs", "--namespace=vision", "--selector=" + selector("0,1"),
                  "--container=trainer", "--max-log-requests=2", "--ignore-errors", "--tail=-1"));
  const LogRequest few = asked({}, {}, {}, 10);
  EXPECT_EQ(logs_arguments(job_of("fashion"), *source(few), few)[6], "--tail=10");
}

TEST(Logs, FollowEachNodeFromItsTailAndAfterACutFromItsLastSecond) {
  const LogRequest request = asked({}, {}, {}, 10);
  const LogSource all = *source(request);
  EXPECT_THAT(follow_arguments(job_of("fashion"), 1, all, request, {}),
              ElementsAre("logs", "fashion-1", "--namespace=vision", "--container=trainer",
                          "--follow", "--timestamps", "--tail=10"));
  EXPECT_EQ(follow_arguments(job_of("fashion"), 1, all, request, "2026-01-02T03:04:05Z").back(),
            "--since-time=2026-01-02T03:04:05Z");
  const LogRequest of_rank = asked(3, {}, {}, 10);
  EXPECT_EQ(follow_arguments(job_of("fashion"), 1, *source(of_rank), of_rank, {}).back(),
            "--timestamps")
      << "other ranks' lines must not count";
}

TEST(Logs, TellNodesThatHaveEndedFromThoseThatRun) {
  auto pods = pods_of("fashion");
  EXPECT_THAT(choose_source(job_of("fashion"), pods, {})->over, IsEmpty());
  for (auto& pod : pods) {
    if (pod["metadata"]["name"] != "fashion-1") continue;
    pod["status"]["containerStatuses"] =
        nlohmann::json::parse(R"([{"name": "trainer", "state": {"terminated": {"exitCode": 0}}}])");
  }
  EXPECT_THAT(choose_source(job_of("fashion"), pods, {})->over, ElementsAre(1));
  EXPECT_THAT(choose_source(job_of("fashion"), pods, {})->nodes, ElementsAre(0, 1));
}

TEST(Logs, AreThoseOfARankOnItsNode) {
  const LogRequest request = asked(3, {}, {}, 10);
  const LogSource one = *source(request);
  EXPECT_EQ(one.selector, selector("1"));
  EXPECT_EQ(one.prefix, "[rank 3] ");
  EXPECT_THAT(logs_arguments(job_of("fashion"), one, request), ::testing::Contains("--tail=-1"))
      << "other ranks' lines must not count";
  EXPECT_EQ(source(asked({}, 0))->selector, selector("0"));
  const nlohmann::json started = {{"name", "trainer"},
                                  {"state", {{"running", {{"startedAt", "x"}}}}}};
  std::vector<nlohmann::json> alone = pods_of("typo");
  alone[1]["status"]["containerStatuses"] = {started};
  EXPECT_EQ(choose_source(job_of("typo"), alone, asked(1))->prefix, "")
      << "a node of one process writes for its rank alone";
}

TEST(Logs, NamesNodesThatHaveNotStarted) {
  const LogSource waiting = *source({}, "typo");
  EXPECT_THAT(waiting.nodes, IsEmpty());
  EXPECT_THAT(waiting.waiting, ElementsAre(0, 1));
}

TEST(Logs, SayWhereElseToLook) {
  EXPECT_EQ(complaint(asked(4)), "there is no rank 4: ranks count from 0 to 3");
  EXPECT_EQ(complaint(asked({}, 2)), "there is no node 2: nodes count from 0 to 1");
  EXPECT_EQ(complaint(asked(3, 0)), "rank 3 does not run on node 0");
  EXPECT_EQ(complaint(asked({}, {}, 3)), "there is no attempt 3 yet: fashion is at attempt 2");
  const std::string kept = complaint(asked({}, {}, 1));
  EXPECT_THAT(kept, HasSubstr("the pods of attempt 1 are gone"));
  EXPECT_THAT(kept, HasSubstr("$CHECKPOINT_DIR/logs/attempt-1"));
  EXPECT_THAT(kept, HasSubstr("fashion/logs/attempt-1 of the claim runs"));
  EXPECT_THAT(kept, HasSubstr("/checkpoints/logs/attempt-1"));
  const auto lost = choose_source(job_of("broken"), {}, {});
  EXPECT_THAT(lost.error().message, HasSubstr("no spec.checkpoints, so no copy was kept"));
  EXPECT_THAT(complaint({}, "idle"), HasSubstr("idle has no pods: it is Suspended"));
}

TEST(Logs, LeaveOutTheNamesakesOfAnEarlierJob) {
  auto pods = pods_of("fashion");
  pods[0]["metadata"]["labels"]["lockstep.dev/job-uid"] = "another";
  EXPECT_THAT(choose_source(job_of("fashion"), pods, {})->nodes, ElementsAre(1));
}

TEST(LinePicker, PicksWholeLinesHoweverTheyAreCut) {
  const std::string text = "[rank 1] a\n[rank 11] b\n[rank 1] c\n[rank 1] end";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    LinePicker picker("[rank 1] ", std::nullopt);
    std::string picked = picker.take(text.substr(0, cut));
    picked += picker.take(text.substr(cut));
    picked += picker.end();
    EXPECT_EQ(picked, "[rank 1] a\n[rank 1] c\n[rank 1] end\n") << cut;
  }
}

TEST(LinePicker, KeepsTheLastLinesOfTheRank) {
  LinePicker picker("[rank 1] ", 2);
  EXPECT_EQ(picker.take("[rank 1] a\n[rank 1] b\n[rank 0] x\n[rank 1] c\n[rank 0] y\n"), "");
  EXPECT_EQ(picker.end(), "[rank 1] b\n[rank 1] c\n");
  LinePicker none("", 0);
  EXPECT_EQ(none.take("a\n"), "");
  EXPECT_EQ(none.end(), "");
}

}  // namespace
}  // namespace lockstep
