// Which nodes are lost, why, and which of them explains the others.
#include "operator/plan/loss.h"

#include <gmock/gmock.h>

#include "operator/plan/exit_codes.h"
#include "operator/plan/last_words.h"
#include "tests/support/job_builder.h"

namespace lockstep {
namespace {

using nlohmann::json;
using std::chrono::seconds;
using testing::HasSubstr;

std::vector<Loss> losses_of(const JobBuilder& job) {
  const Observed seen = job.observed();
  return lost_nodes(seen, sort_nodes(seen.job, seen.pods));
}

Loss only_loss(const JobBuilder& job) {
  const auto losses = losses_of(job);
  EXPECT_EQ(losses.size(), 1u);
  return losses.empty() ? Loss{} : losses[0];
}

std::string launcher_says(int rank, int exit_code, double at, const std::string& line = "boom",
                          int signal = 0) {
  return json{{"rank", rank},
              {"exitCode", exit_code},
              {"signal", signal},
              {"reason", "rank " + std::to_string(rank) + " failed"},
              {"time", after(at).time_since_epoch().count()},
              {"lastLines", json::array({line})}}
      .dump();
}

TEST(ExitCode, MeansWhatTheReferenceSays) {
  using enum ExitMeaning;
  struct Case {
    int code;
    const char* reason;
    ExitMeaning meaning;
  };
  const Case cases[] = {
      {1, "Error", kFailure},       {2, "Error", kFailure},     {64, "Error", kPermanent},
      {65, "Error", kPermanent},    {70, "Error", kFailure},    {71, "Error", kPermanent},
      {74, "Error", kFailure},      {75, "Error", kFollowOn},   {80, "Error", kFollowOn},
      {126, "Error", kPermanent},   {127, "Error", kPermanent}, {128, "StartError", kPermanent},
      {128, "Error", kFailure},     {134, "Error", kFailure},   {137, "Error", kFollowOn},
      {137, "OOMKilled", kFailure}, {139, "Error", kFailure},   {143, "Error", kFollowOn}};
  for (const Case& each : cases) {
    EXPECT_EQ(
        meaning_of({.exit_code = each.code, .reason = each.reason, .message = "", .finished = {}}),
        each.meaning)
        << each.code << " " << each.reason;
  }
}

TEST(Loss, IsSeenInEachFormThatANodeCanBeLost) {
  using enum LossKind;
  struct Case {
    const char* what;
    JobBuilder job;
    LossKind kind;
    const char* reason;
  };
  const json failed_without_container = {
      {"status", {{"phase", "Failed"}, {"containerStatuses", nullptr}}}};
  const json shut_down = {
      {"status", {{"phase", "Failed"}, {"reason", "NodeShutdown"}, {"message", "bye"}}}};
  const json failed_init = {{"status",
                             {{"initContainerStatuses", json::parse(
                                                            R"([{"name": "fetch",
                  "state": {"terminated": {"exitCode": 2, "reason": "Error"}}}])")}}}};
  const Case cases[] = {
      {"container failed", a_job().running().failed(1), kFailure, "Error"},
      {"command missing", a_job().running().failed(1, 128, 0, "", "StartError"), kPermanentFailure,
       "StartError"},
      {"init container failed",
       a_job().running().pod(1, failed_init).pod(1, {{"status", {{"containerStatuses", nullptr}}}}),
       kFailure, "Error"},
      {"evicted", a_job().running().evicted(1), kDisruption, "EvictionByEvictionAPI"},
      {"evicted, then killed", a_job().running().failed(1, 137).evicted(1), kDisruption,
       "EvictionByEvictionAPI"},
      {"deleted", a_job().running().terminating(1), kDisruption, "PodDeleted"},
      {"deleted, then killed", a_job().running().failed(1, 143).terminating(1), kDisruption,
       "PodDeleted"},
      {"machine shut down", a_job().running().pod(1, shut_down), kDisruption, "NodeShutdown"},
      {"failed by the kubelet", a_job().running().pod(1, failed_without_container), kDisruption,
       "PodDeleted"},
      {"gone", a_job().running().gone(1), kDisruption, "PodGone"},
      {"peer lost", a_job().running().failed(1, 75), kFollowOn, "Error"}};
  for (const Case& each : cases) {
    SCOPED_TRACE(each.what);
    const Loss loss = only_loss(each.job);
    EXPECT_EQ(loss.kind, each.kind);
    if (std::string(each.what) != "failed by the kubelet") {
      EXPECT_EQ(loss.evidence.reason, each.reason);
    }
    EXPECT_EQ(loss.evidence.node_rank, 1);
    EXPECT_EQ(loss.evidence.pod, "fashion-1");
  }
}

TEST(Loss, IsNotSeenInAJobThatIsWell) {
  EXPECT_TRUE(losses_of(a_job().running()).empty());
  EXPECT_TRUE(losses_of(a_job().running().succeeded(0)).empty());
  EXPECT_TRUE(losses_of(a_job().running().succeeded(0).terminating(0, 101)).empty())
      << "it was done";
  EXPECT_TRUE(losses_of(a_job().attempt(1).scheduled(0)).empty()) << "node 1 has yet to be created";
}

// A trainer that exited with 0 at 100 s, in a pod that was told to end at some other time.
TEST(Loss, IsSeenInASuccessThatOnlyAnswersAStop) {
  struct Case {
    const char* what;
    JobBuilder job;
    bool has_succeeded;
  };
  const auto done = [] { return a_job().running().succeeded(0); };
  const auto with_message = [](JobBuilder job, const char* message) {
    json container = {
        {"name", "trainer"},
        {"state",
         {{"terminated",
           {{"exitCode", 0}, {"message", message}, {"finishedAt", format_time(after(100))}}}}}};
    return job.pod(0, {{"status", {{"containerStatuses", json::array({container})}}}});
  };
  const json without_statuses = {{"status", {{"containerStatuses", nullptr}}}};
  const json without_a_time = json::parse(
      R"({"status": {"conditions": [{"type": "DisruptionTarget", "status": "True"}]}})");
  const json no_disruption = json::parse(
      R"({"status": {"conditions": [{"type": "DisruptionTarget", "status": "False"}]}})");
  const json shut_down = {{"status", {{"phase", "Failed"}, {"reason", "Terminated"}}}};
  const Case cases[] = {
      {"nobody asked", done(), true},
      {"deleted before", done().terminating(0, 99), false},
      {"deleted in the same second", done().terminating(0, 100), false},
      {"deleted after", done().terminating(0, 101), true},
      {"evicted before", done().evicted(0, 99), false},
      {"evicted in the same second", done().evicted(0, 100), false},
      {"evicted after", done().evicted(0, 101), true},
      {"evicted before, deleted after", done().evicted(0, 99).terminating(0, 101), false},
      {"deleted before, evicted after", done().evicted(0, 101).terminating(0, 99), false},
      {"evicted, nobody knows when", done().pod(0, without_a_time), false},
      {"not evicted after all", done().pod(0, no_disruption), true},
      {"shut down by the kubelet", done().pod(0, shut_down), false},
      {"deleted, its end unknown", done().pod(0, without_statuses).terminating(0, 999), false},
      {"its end unknown", done().pod(0, without_statuses), true},
      {"deleted before, and the launcher says that it was done",
       with_message(done(), R"({"progress": {"epoch": 2}})").terminating(0, 50), true},
      {"deleted before, with words of another program",
       with_message(done(), R"({"epoch": 2})").terminating(0, 50), false}};
  for (const Case& each : cases) {
    SCOPED_TRACE(each.what);
    const auto losses = losses_of(each.job);
    ASSERT_EQ(losses.empty(), each.has_succeeded);
    for (const Loss& loss : losses) EXPECT_EQ(loss.kind, LossKind::kDisruption);
  }
}

TEST(Loss, OfAPodNeedsALiveAnswerThatItIsGone) {
  const Observed seen = a_job().running().gone(1).observed();
  EXPECT_EQ(ranks_to_confirm(seen.job, seen.pods), std::vector<int>{1});
  Observed unconfirmed = seen;
  unconfirmed.gone_ranks.clear();
  EXPECT_TRUE(lost_nodes(unconfirmed, sort_nodes(unconfirmed.job, unconfirmed.pods)).empty());
}

TEST(Loss, IgnoresSidecarsOnceTheTrainerSucceeded) {
  const json sidecar_failed = json::parse(R"({"status": {"phase": "Failed", "containerStatuses": [
    {"name": "trainer", "state": {"terminated": {"exitCode": 0}}},
    {"name": "log", "state": {"terminated": {"exitCode": 1}}}]}})");
  EXPECT_TRUE(losses_of(a_job().running().pod(1, sidecar_failed)).empty());
}

TEST(Loss, TakesRankSignalAndLastLinesFromTheLauncher) {
  const Loss loss = only_loss(
      a_job().running().failed(1, 3, 5, launcher_says(6, 3, 4.25, "the disk is on fire")));
  EXPECT_EQ(loss.evidence.rank, 6);
  EXPECT_EQ(loss.evidence.exit_code, 3);
  EXPECT_EQ(loss.evidence.message, "rank 6 failed\nthe disk is on fire");
  EXPECT_EQ(loss.died, after(4.25));
  EXPECT_EQ(loss.evidence.finished_at, after(5));
}

TEST(Loss, OfAProcessThatTheKernelKilledIsAFailure) {
  EXPECT_EQ(only_loss(a_job().running().failed(1, 137, 0, launcher_says(2, 137, 0, "", 9))).kind,
            LossKind::kFailure);
}

TEST(Loss, KeepsTheEndOfAForeignImagesLastLines) {
  const std::string noise(5000, 'x');
  const Loss loss = only_loss(a_job().running().failed(1, 1, 0, noise + "the end"));
  EXPECT_LE(loss.evidence.message.size(), 2048u);
  EXPECT_TRUE(loss.evidence.message.ends_with("the end"));
}

// Whoever prints the status with raw output would let the program steer the terminal.
TEST(Loss, KeepsNoControlCharactersOfTheProgram) {
  for (const std::string& words :
       {std::string("\x1b[31mred\x07\xc2\x9b\ttab\nline"),
        std::string(
            R"({"rank": 1, "exitCode": 3, "reason": "\u001b[31mred\u0007\u009b\ttab\nline"})")}) {
    const Observed seen = a_job().running().failed(1, 3, 0, words).observed();
    const auto losses = lost_nodes(seen, sort_nodes(seen.job, seen.pods));
    EXPECT_EQ(losses.at(0).evidence.message, "[31mred\ttab\nline");
  }
}

TEST(LastWords, RefuseWhatTheLauncherDidNotWrite) {
  for (const char* text :
       {"", "Traceback", "{", "[]", "7", R"({"rank": "3"})", R"({"exitCode": 1})"}) {
    EXPECT_FALSE(parse_last_words(text)) << text;
  }
}

TEST(LastWords, ThatMakeNoSenseAreNotTheLaunchers) {
  for (const char* message : {R"({"rank": -1})", R"({"rank": 262144})", R"({"rank": 1e9})"}) {
    EXPECT_FALSE(parse_last_words(message)) << message;
  }
  EXPECT_EQ(parse_last_words(R"({"rank": 262143})")->rank, 262143);
  EXPECT_FALSE(parse_last_words(R"({"rank": 0, "time": 9223372036854775807})")->time);
  EXPECT_TRUE(parse_last_words(R"({"rank": 0, "time": 1767355200000})")->time);
}

TEST(RootCause, IsTheFirstToDieNotTheLoudest) {
  const auto losses = losses_of(a_job()
                                    .nodes(3)
                                    .running()
                                    .failed(0, 75, 5, launcher_says(0, 75, 5.5))
                                    .failed(1, 1, 5, launcher_says(4, 1, 5.9))
                                    .failed(2, 1, 5, launcher_says(8, 1, 5.2)));
  EXPECT_EQ(root_cause(losses).evidence.node_rank, 2);
}

// Nodes that the launcher ended, node 0 first, with where their slowest ranks stood.
TEST(RootCause, OfNodesThatHangIsTheOneWhoseRankIsFurthestBehind) {
  const auto blamed = [](const char* of_node_0, const char* of_node_1) {
    const auto hung = [](int rank, double at, const char* hang) {
      json words = json::parse(launcher_says(rank, 124, at));
      words["hang"] = json::parse(hang);
      return words.dump();
    };
    return root_cause(losses_of(a_job()
                                    .running()
                                    .failed(0, 124, 5, hung(0, 2, of_node_0))
                                    .failed(1, 124, 6, hung(5, 3, of_node_1))))
        .evidence.node_rank;
  };
  const char* const at_step_9 = R"({"seconds": 30, "phase": "step", "epoch": 1, "step": 9})";
  EXPECT_EQ(blamed(at_step_9, R"({"seconds": 30, "epoch": 1, "step": 8})"), 1);
  EXPECT_EQ(blamed(at_step_9, R"({"seconds": 30, "epoch": 1, "step": 10})"), 0);
  EXPECT_EQ(blamed(at_step_9, R"({"seconds": 30, "epoch": 2, "step": 8})"), 0);
  EXPECT_EQ(blamed(at_step_9, R"({"seconds": 30, "stopped": true, "epoch": 3, "step": 99})"), 1);
  EXPECT_EQ(blamed(at_step_9, R"({"seconds": 29, "phase": "checkpoint", "epoch": 1, "step": 9})"),
            1);
  EXPECT_EQ(blamed(at_step_9, R"({"seconds": 31, "phase": "step", "epoch": 1, "step": 9})"), 1);
  EXPECT_EQ(blamed(at_step_9, R"({"seconds": 300})"), 0) << "it never told a step";
  EXPECT_EQ(blamed(at_step_9, "7"), 0) << "it did not hang";
}

TEST(RootCause, IsAFailureThatCameBeforeTheHang) {
  json words = json::parse(launcher_says(5, 124, 9));
  words["hang"] = {{"seconds", 30}, {"epoch", 0}, {"step", 0}};
  const auto losses = losses_of(
      a_job().running().failed(0, 1, 5, launcher_says(0, 1, 5)).failed(1, 124, 9, words.dump()));
  EXPECT_EQ(root_cause(losses).evidence.node_rank, 0);
}

TEST(RootCause, PrefersBetterKindsOfEvidenceOverEarlierOnes) {
  EXPECT_EQ(
      root_cause(losses_of(a_job().running().failed(0, 75, 1).failed(1, 1, 9))).evidence.node_rank,
      1);
  EXPECT_EQ(
      root_cause(losses_of(a_job().running().failed(0, 143, 1).failed(1, 1, 9))).evidence.node_rank,
      1);
  EXPECT_EQ(root_cause(losses_of(a_job().running().failed(0, 1, 1).evicted(1))).evidence.node_rank,
            1);
  EXPECT_EQ(root_cause(losses_of(a_job().running().failed(0, 80, 1).evicted(1))).evidence.node_rank,
            1);
  EXPECT_EQ(
      root_cause(losses_of(a_job().running().failed(0, 1, 1).failed(1, 64, 9))).evidence.node_rank,
      0);
}

TEST(RootCause, OfFollowOnsAloneIsTheMachineThatDoesNotAnswer) {
  const json silent = {
      {"status", {{"conditions", json::array({{{"type", "Ready"}, {"status", "False"}}})}}}};
  const auto losses = losses_of(a_job().running().failed(0, 75, 1).pod(1, silent));
  EXPECT_EQ(root_cause(losses).kind, LossKind::kDisruption);
  EXPECT_EQ(root_cause(losses).evidence.node, "worker-1");
  EXPECT_TRUE(losses_of(a_job().running().pod(1, silent)).empty())
      << "alone it is only a slow probe";
}

TEST(Settling, WaitsForBetterEvidenceOnlyAsLongAsItCanHelp) {
  const Loss disruption{.kind = LossKind::kDisruption};
  const Loss cause{.kind = LossKind::kFailure, .died = after(10)};
  const Loss follow_on{.kind = LossKind::kFollowOn, .died = after(10)};
  EXPECT_LE(settles_at(disruption, Others::kRun, after(10)), after(10));
  EXPECT_EQ(settles_at(cause, Others::kRun, after(10)), after(11));
  EXPECT_LE(settles_at(cause, Others::kEnded, after(10)), after(10)) << "nobody is left to speak";
  EXPECT_EQ(settles_at(follow_on, Others::kRun, after(10)), after(70));
  EXPECT_EQ(settles_at(follow_on, Others::kEnded, after(10)), after(70));
  EXPECT_EQ(settles_at(follow_on, Others::kNone, after(10)), after(15));
  Loss hang{.kind = LossKind::kFailure, .died = after(7), .hang = NodeReport::Rank{}};
  hang.evidence.finished_at = after(10);
  EXPECT_EQ(settles_at(hang, Others::kRun, after(10)), after(15)) << "they hang as well";
  EXPECT_LE(settles_at(hang, Others::kEnded, after(10)), after(10));
  const Loss from_the_future{.kind = LossKind::kFailure, .died = after(900)};
  EXPECT_LE(settles_at(from_the_future, Others::kRun, after(10)), after(10))
      << "a wrong clock must not hold us up";
}

}  // namespace
}  // namespace lockstep
