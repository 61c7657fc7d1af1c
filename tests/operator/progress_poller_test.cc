// Whom the poller asks, what it believes, and when it wakes.
#include "operator/progress_poller.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>

#include "operator/api/names.h"
#include "tests/support/job_builder.h"
#include "tests/support/scripted_server.h"

namespace lockstep {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using testing::ScriptedServer;
using testing::SeenRequest;
using testing::Wire;

const ObjectKey kJob{"ml", "fashion"};

JobBuilder running_job() {
  return a_job().running().status(
      {{"conditions", {{{"type", "Running"}, {"status", "True"}}}}, {"phase", "Running"}});
}

json page(int attempt, double silent) {
  return {{"schema", 1},
          {"job", "fashion"},
          {"uid", "job-uid"},
          {"attempt", attempt},
          {"nodeRank", 0},
          {"secondsSinceProgress", silent},
          {"progress", {{"rank", 0}, {"step", 7}}}};
}

TEST(PollTarget, IsAJobThatRuns) {
  const Observed seen = running_job().observed();
  const auto target = poll_target(seen.job, seen.pods);
  ASSERT_TRUE(target);
  EXPECT_EQ(target->job, kJob);
  EXPECT_EQ(target->attempt, 1);
  EXPECT_EQ(target->ips.size(), 2U);
  EXPECT_FALSE(poll_target(a_job().attempt(1).job(), {})) << "does not run yet";
  EXPECT_FALSE(poll_target(running_job()
                               .status({{"conditions",
                                         {{{"type", "Running"}, {"status", "True"}},
                                          {{"type", "Complete"}, {"status", "True"}}}}})
                               .job(),
                           {}));
}

// A poller of one job whose first node is the scripted server, and whose second does not answer.
class ProgressPollerTest : public ::testing::Test {
 protected:
  void poll(JobBuilder builder, const std::string& answer, std::chrono::milliseconds during) {
    ScriptedServer server(
        [&](const SeenRequest&, int, Wire& wire) { wire.raw("HTTP/1.1 200 OK\r\n\r\n" + answer); });
    const Observed seen = builder.pod(0, {{"status", {{"podIP", "127.0.0.1"}}}})
                              .pod(1, {{"status", {{"podIP", "127.0.0.2"}}}})
                              .observed();
    jobs_.replace("", {seen.job}, "1");
    pods_.replace("", seen.pods, "1");
    ProgressPoller poller(
        {jobs_, pods_, {}}, board_, [this](const ObjectKey&) { ++wakes_; }, clock_, 50ms,
        server.port());
    std::this_thread::sleep_for(during);
    asked_ = server.seen();
  }

  template <typename Object>
  static Store<Object> store() {
    return {{""}, [](const Object&) { return kJob; }, [](const ObjectKey&) {}};
  }

  const SystemClock clock_;
  Store<TrainingJob> jobs_ = store<TrainingJob>();
  Store<Pod> pods_ = store<Pod>();
  ReportBoard board_;
  std::atomic<int> wakes_ = 0;
  std::vector<SeenRequest> asked_;
};

TEST_F(ProgressPollerTest, AsksTheFirstNodeAgainAndAgainAndWakesOnce) {
  poll(running_job(), page(1, 0.1).dump(), 1500ms);
  EXPECT_GE(asked_.size(), 2U);
  EXPECT_EQ(asked_.at(0).target, "/progress");
  const auto reports = board_.find(kJob);
  ASSERT_TRUE(reports);
  EXPECT_EQ(reports->nodes.size(), 1U) << "nobody else was asked";
  EXPECT_EQ(reports->nodes.at(0)->progress->step, 7);
  EXPECT_EQ(wakes_, 1) << "its turn comes again after ten seconds";
}

TEST_F(ProgressPollerTest, AsksAllNodesAndWakesAtOnceWhenItMayBeAStall) {
  poll(running_job().spec({{"runPolicy", {{"stallTimeoutSeconds", 60}}}}), page(1, 61).dump(),
       1500ms);
  const auto reports = board_.find(kJob);
  ASSERT_EQ(reports->nodes.size(), 2U);
  EXPECT_EQ(reports->nodes.at(0)->silent_seconds, 61);
  EXPECT_FALSE(reports->nodes.at(1));
  EXPECT_GE(wakes_, 2);
}

TEST_F(ProgressPollerTest, AsksTheOthersWhenTheFirstTellsNothing) {
  json mute = page(1, 0.1);
  mute.erase("progress");
  mute.erase("secondsSinceProgress");
  for (const json& policy : {json::object(), json{{"stallTimeoutSeconds", 60}}}) {
    poll(running_job().spec({{"runPolicy", policy}}), mute.dump(), 600ms);
    EXPECT_EQ(board_.find(kJob)->nodes.size(), 2U) << policy;
  }
}

TEST_F(ProgressPollerTest, BelievesNobodyElse) {
  json other_job = page(1, 0.1), other_node = page(1, 0.1), namesake = page(1, 0.1);
  other_job["job"] = "other";
  namesake["uid"] = "of-another-namespace";
  other_node["nodeRank"] = 1;
  for (const json& answer : {other_job, other_node, namesake, page(2, 0.1), json("x")}) {
    SCOPED_TRACE(answer.dump());
    poll(running_job(), answer.dump(), 600ms);
    ASSERT_TRUE(board_.find(kJob));
    EXPECT_FALSE(board_.find(kJob)->nodes.at(0));
  }
}

// A listener that answers nobody, at an address of its own.
class Silence {
 public:
  Silence(const char* address, int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_port = htons(static_cast<std::uint16_t>(port));
    ::inet_pton(AF_INET, address, &name.sin_addr);
    EXPECT_EQ(::bind(socket_, reinterpret_cast<sockaddr*>(&name), sizeof name), 0);
    EXPECT_EQ(::listen(socket_, 4096), 0);
  }
  ~Silence() { ::close(socket_); }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;

 private:
  int socket_;
};

TEST_F(ProgressPollerTest, AsksOthersEachRoundBesideAHugeJobThatDoesNotAnswer) {
  constexpr int kNodes = 2000;  // eight rounds of a second
  ScriptedServer server([&](const SeenRequest&, int, Wire& wire) {
    wire.raw("HTTP/1.1 200 OK\r\n\r\n" + page(1, 0.1).dump());
  });
  const Silence silence("127.0.0.3", server.port());
  const Observed small = running_job().pod(0, {{"status", {{"podIP", "127.0.0.1"}}}}).observed();
  JobBuilder builder = running_job().nodes(kNodes).running().status(
      {{"conditions", {{{"type", "Running"}, {"status", "True"}}}}, {"phase", "Running"}});
  builder.spec({{"runPolicy", {{"stallTimeoutSeconds", 60}}}});
  for (int rank = 0; rank < kNodes; ++rank) {
    builder.pod(rank, {{"status", {{"podIP", "127.0.0.3"}}}});
  }
  Observed huge = builder.observed();
  const ObjectKey huge_job{"ml", "huge"};
  huge.job.meta.name = huge_job.name;
  std::vector<Pod> pods = small.pods;
  for (Pod& pod : huge.pods) {
    pod.meta.name = huge_job.name + pod.meta.name;
    pods.push_back(pod);
  }
  jobs_.replace("", {small.job, huge.job}, "1");
  Store<Pod> pods_of_both{
      {""},
      [&](const Pod& pod) { return pod.meta.name.starts_with("huge") ? huge_job : kJob; },
      [](const ObjectKey&) {}};
  pods_of_both.replace("", pods, "1");
  ProgressPoller poller(
      {jobs_, pods_of_both, {}}, board_, [](const ObjectKey&) {}, clock_, 50ms, server.port());
  const auto deadline = clock_.steady_now() + 60s;
  while (server.seen().size() < 4 && clock_.steady_now() < deadline) {
    std::this_thread::sleep_for(20ms);
  }
  EXPECT_GE(server.seen().size(), 4U) << "once in a round";
  EXPECT_FALSE(board_.find(huge_job)) << "that takes eight of them";
}

TEST_F(ProgressPollerTest, ForgetsWhatNoLongerRuns) {
  board_.put({"ml", "gone"}, {});
  poll(a_job().attempt(1), page(1, 0.1).dump(), 600ms);
  EXPECT_FALSE(board_.find({"ml", "gone"}));
  EXPECT_FALSE(board_.find(kJob));
  EXPECT_TRUE(asked_.empty());
  EXPECT_EQ(wakes_, 0);
}

}  // namespace
}  // namespace lockstep
