// list, describe and top: text from real answers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "operator/plugin/describe.h"
#include "operator/plugin/list.h"
#include "operator/plugin/top.h"
#include "operator/plugin/words.h"
#include "tests/operator/plugin/answers.h"

namespace lockstep {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Words, AreShort) {
  EXPECT_EQ(duration_text(41.9), "41s");
  EXPECT_EQ(duration_text(190), "3m10s");
  EXPECT_EQ(duration_text(7500), "2h5m");
  EXPECT_EQ(duration_text(273600), "3d4h");
  EXPECT_EQ(duration_text(-5), "0s");
  EXPECT_EQ(duration_text(1e300), "11574d1h") << "bounded: a page may claim anything";
  EXPECT_EQ(quantity_text(0.42), "0.42");
  EXPECT_EQ(quantity_text(5100), "5.1k");
  EXPECT_EQ(quantity_text(999.6), "1k");
  EXPECT_EQ(quantity_text(2'340'000), "2.34M");
  EXPECT_EQ(quantity_text(-0.01234), "-0.0123");
  EXPECT_EQ(percent_text(0.999), "99%") << "100% is said at the end only";
  EXPECT_EQ(plural(1, "node") + plural(2, "node"), "1 node2 nodes");
}

TEST(Table, AlignsCharactersAndPaintsCellsOnly) {
  Table table({"NAME", "STATE", "WHY"});
  table.add({"a", Cell("Running", Colour::kGreen), ""});
  table.add({"\xc3\xa9tude", "Failed", "x"});
  EXPECT_EQ(table.text(),
            "NAME    STATE     WHY\n"
            "a       Running\n"
            "\xc3\xa9tude   Failed    x\n");
  EXPECT_THAT(table.text(Paint{true}), HasSubstr("a       \x1b[32mRunning\x1b[0m\n"));
}

TEST(List, ShowsEveryJobOfAnAnswer) {
  json jobs = answer("jobs");
  jobs["items"][2]["status"]["display"].update(
      {{"progress", "13%"}, {"eta", "3m10s"}, {"throughput", "5.1k/s"}, {"loss", "0.42"}});
  EXPECT_EQ(
      list_jobs(jobs, true, kAsked),
      "NAMESPACE   NAME      STATE       NODES   RESTARTS   PROGRESS   ETA     THROUGHPUT   LOSS   "
      "AGE     REASON\n"
      "small       greedy    Pending     0/3     0                                                 "
      "1m12s   CreateRefused\n"
      "vision      broken    Failed      0/1     0                                                 "
      "1m1s    BackoffLimitExceeded\n"
      "vision      fashion   Running     2/2     1          13%        3m10s   5.1k/s       0.42   "
      "1m7s\n"
      "vision      idle      Suspended   0/1     0                                                 "
      "1m5s    JobSuspended\n"
      "vision      lost      Pending     0/1     0                                                 "
      "1m3s    Unschedulable\n"
      "vision      taken     Pending     0/1     0                                                 "
      "1m7s    NameTaken\n"
      "vision      typo      Starting    0/2     0                                                 "
      "1m4s    ImagePullBackOff\n"
      "vision      wide      Pending     0/3     0                                                 "
      "1m2s    Unschedulable\n");
}

TEST(List, SaysNothingAboutNoJobsAndMarksTheUnseen) {
  EXPECT_EQ(list_jobs({{"items", json::array()}}, false, kAsked), "");
  json job = job_object("idle");
  job.erase("status");
  EXPECT_THAT(list_jobs({{"items", json::array({job})}}, false, kAsked), HasSubstr("Unseen"));
}

TEST(Describe, TellsAllThatIsKnown) {
  json job = job_object("fashion");
  job["status"]["progress"] = {{"epoch", 1},
                               {"epochs", 3},
                               {"step", 120},
                               {"steps", 900},
                               {"loss", 0.42},
                               {"samplesPerSecond", 5100},
                               {"secondsRemaining", 190},
                               {"checkpointStep", 100}};
  Surroundings around{.pods = pods_of("fashion"), .companions = {}, .events = items_of("events")};
  for (const char* kind : {"services", "policies"}) {
    around.companions.push_back(items_of(kind).front());
  }
  EXPECT_EQ(*describe_job(job, around, kAsked),
            R"(Name:          fashion
Namespace:     vision
State:         Running, started 1m7s ago
Nodes:         2: 2 ready; 4 processes in all
Attempt:       2, because of Failure, began 57s ago
Restarts:      1 failure of at most 3, 0 disruptions
Progress:      epoch 1/3, step 120/900 (13%), loss 0.42, 5.1k samples/s, 3m10s left, checkpoint of step 100
Master:        fashion-0.fashion.vision.svc
Last failure:  rank 3 on node 1 (pod fashion-1 on machine vision-fashion-1) of attempt 1 exited with 3, 58s ago
                 rank 3 exited with 3
                 Traceback (most recent call last):
                   File "train.py", line 12, in <module>
                 ValueError: [31mbad batch[0m

Conditions:
  TYPE          STATUS   REASON            SINCE   MESSAGE
  PodsCreated   True     AllPodsCreated    57s     every node has its pod
  Running       True     AllNodesRunning   54s     all 2 nodes run

Pods:
  NODE   POD         ATTEMPT   PHASE     MACHINE            AGE   WHY
  0      fashion-0   2         Running   vision-fashion-0   57s
  1      fashion-1   2         Running   vision-fashion-1   57s

Objects:
  KIND            NAME      AGE
  Service         fashion   1m7s
  NetworkPolicy   fashion   1m7s

Events:
  AGE    TYPE      REASON            COUNT   MESSAGE
  1m7s   Normal    AllPodsCreated    1       every node has its pod
  58s    Normal    AllNodesRunning   1       all 2 nodes run
  57s    Warning   NodeFailed        1       attempt 2 follows: node 1 (pod fashion-1 on vision-fashion-1) exited with 3: ValueError: [31mbad batch[0m
  57s    Normal    AllPodsCreated    1       every node has its pod
  54s    Normal    AllNodesRunning   1       all 2 nodes run
)");
}

TEST(Describe, SaysWhyAJobWaits) {
  const auto text = [](const char* name) {
    return *describe_job(job_object(name), {pods_of(name), {}, {}}, kAsked);
  };
  EXPECT_THAT(text("typo"),
              HasSubstr("State:         Starting, started 1m4s ago (ImagePullBackOff)"));
  EXPECT_THAT(text("typo"),
              HasSubstr("ImagePullBackOff: Back-off pulling image registry/fashoin:1"));
  EXPECT_THAT(text("wide"), HasSubstr("1 Insufficient nvidia.com/gpu"));
  EXPECT_THAT(text("broken"), HasSubstr("State:         Failed, ended "));
  json unseen = job_object("idle");
  unseen.erase("status");
  EXPECT_THAT(*describe_job(unseen, {}, kAsked), HasSubstr("no operator has looked at it yet"));
}

std::string page(const json& progress, int node, const json& slowest) {
  return json{{"schema", 1}, {"nodeRank", node}, {"progress", progress}, {"slowest", slowest}}
      .dump();
}

TEST(Top, FoldsTheNodesIntoALine) {
  const std::vector<std::string> pages = {
      page({{"step", 120},
            {"steps", 900},
            {"loss", 0.42},
            {"samplesPerSecond", 5100},
            {"secondsRemaining", 190},
            {"dataWait", 0.03},
            {"commWait", 0.4}},
           0, {{"rank", 0}, {"phase", "step"}, {"step", 120}, {"secondsSinceProgress", 0.5}}),
      "",
      page({{"step", 118}, {"dataWait", 0.5}}, 1,
           {{"rank", 3}, {"phase", "data"}, {"step", 118}, {"secondsSinceProgress", 12.2}})};
  EXPECT_EQ(
      top_table({*job_now(job_object("fashion"), pages)}, false),
      "NAME      STATE     STEP      DONE   SAMPLES/S   LOSS   DATA-WAIT   COMM-WAIT   ETA     "
      "SLOWEST\n"
      "fashion   Running   120/900   13%    5.1k        0.42   50%         40%         3m10s   "
      "rank 3 on node 1: step 118 (data), silent for 12s\n");
}

TEST(Top, FallsBackToTheStatus) {
  json job = job_object("fashion");
  job["status"]["progress"] = {{"step", 60}, {"steps", 900}};
  const JobNow now = *job_now(job, {"", page(json::object(), 1, nullptr)});
  EXPECT_EQ(now.progress.step, 60);
  EXPECT_FALSE(now.slowest.has_value());
}

TEST(Top, MarksAStalledJob) {
  json job = job_object("fashion");
  job["status"]["conditions"].push_back(
      {{"type", "Stalled"}, {"status", "True"}, {"reason", "x"}, {"message", "y"}});
  EXPECT_THAT(top_table({*job_now(job, {})}, true), HasSubstr("vision      fashion   Stalled"));
}

TEST(Page, TakesNothingThatIsOutOfRange) {
  const json hostile = {{"step", -1},
                        {"steps", 1.5},
                        {"epoch", 9007199254740992.0},
                        {"loss", "NaN"},
                        {"dataWait", 1.01},
                        {"commWait", -0.1},
                        {"samplesPerSecond", 1e301},
                        {"secondsRemaining", json::array()}};
  const Progress progress = parse_progress(hostile);
  EXPECT_FALSE(progress.step || progress.steps || progress.epoch || progress.loss ||
               progress.data_wait || progress.comm_wait || progress.samples_per_second ||
               progress.seconds_remaining);
  EXPECT_FALSE(parse_node_report(R"({"schema": 1, "progress": {"loss": 1e999}})"))
      << "JSON has no infinity";
}

TEST(Page, IsOneOfOurSchemaOrNone) {
  for (const char* text : {"", "[]", "{}", R"({"schema": 2})", R"({"schema": "1"})", "<html>"}) {
    EXPECT_FALSE(parse_node_report(text)) << text;
  }
  const auto told = parse_node_report(
      page(json::object(), 1, {{"rank", 262144}, {"phase", "step"}, {"step", 1}}));
  ASSERT_TRUE(told);
  EXPECT_FALSE(told->slowest) << "no job has such a rank";
  const auto phase =
      parse_node_report(page(json::object(), 1, {{"rank", 1}, {"phase", "\x1b[2J"}, {"step", 1}}));
  EXPECT_EQ(phase->slowest->phase, "");
}

}  // namespace
}  // namespace lockstep
