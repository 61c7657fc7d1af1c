// One pass over one job: what is asked of the API server, in which order, and what is left undone.
#include "operator/reconciler.h"

#include <gtest/gtest.h>

#include <functional>

#include "operator/api/names.h"
#include "tests/support/job_builder.h"

namespace lockstep {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

const ObjectKey kJob{"ml", "fashion"};

class HandClock final : public Clock {
 public:
  Time now() const override { return after(10); }
  std::chrono::steady_clock::time_point steady_now() const override { return steady; }
  std::chrono::steady_clock::time_point steady;
};

// Answers writes as the API server does when all is well, and reads with 404; `on` overrules it.
class ScriptedTransport final : public Transport {
 public:
  Result<Response> exchange(const Request& request, const Receive&, std::stop_token) override {
    const std::string path = request.target.substr(0, request.target.find('?'));
    const std::string what = request.verb + " " + request.resource +
                             (request.method == "POST" ? "" : path.substr(path.find_last_of('/')));
    requests.push_back(request);
    if (on_request) on_request(what);
    const auto answer = answers.find(what);
    if (answer != answers.end()) return answer->second;
    if (request.verb == "get") return Response{.status = 404, .body = ""};
    return Response{.status = 200, .body = stored(request)};
  }

  // "patch trainingjobs/status", "create pods", ...
  Words verbs() const {
    Words verbs;
    for (const Request& request : requests) verbs.push_back(request.verb + " " + request.resource);
    return verbs;
  }

  void on(const std::string& what, int status, const json& body) {
    answers[what] = {.status = status, .body = body.dump()};
  }

  std::vector<Request> requests;
  std::function<void(const std::string& what)> on_request;
  int version = 100;  // of the last write

 private:
  std::string stored(const Request& request) {
    json object = json::parse(request.body);
    object["metadata"]["resourceVersion"] = std::to_string(++version);
    return object.dump();
  }

  std::map<std::string, Response> answers;
};

class ReconcilerTest : public ::testing::Test {
 protected:
  // The caches as of `version`.
  void see(const JobBuilder& builder, int version) {
    const std::string text = std::to_string(version);
    const Observed seen = builder.observed();
    TrainingJob job = seen.job;
    job.meta.resource_version = text;
    jobs_.replace("", {job}, text);
    pods_.replace("", seen.pods, text);
    services_.replace("", companions(seen, kServices), text);
    network_policies_.replace("", companions(seen, kNetworkPolicies), text);
  }

  Result<std::optional<Time>> pass() {
    api_.requests.clear();
    return reconciler_.reconcile(kJob, stop_.get_token());
  }

  json body(std::size_t request) const { return json::parse(api_.requests.at(request).body); }

  static std::vector<Companion> companions(const Observed& seen, const Resource& resource) {
    std::vector<Companion> found;
    for (const Companion& companion : seen.companions) {
      if (companion.resource == resource) found.push_back(companion);
    }
    return found;
  }

  template <typename Object>
  static Store<Object> store() {
    return {{""}, [](const Object&) { return kJob; }, [](const ObjectKey&) {}};
  }

  HandClock clock_;
  ScriptedTransport api_;
  Client client_{api_};
  Store<TrainingJob> jobs_ = store<TrainingJob>();
  Store<Pod> pods_ = store<Pod>();
  Store<Companion> services_ = store<Companion>();
  Store<Companion> network_policies_ = store<Companion>();
  std::vector<std::string> transitions_;
  Reconciler reconciler_{
      client_,
      {jobs_, pods_, {{kServices, &services_}, {kNetworkPolicies, &network_policies_}}},
      {},
      clock_,
      [this](std::string_view to, std::string_view reason) {
        transitions_.push_back(std::string(to) + " " + std::string(reason));
      }};
  std::stop_source stop_;
};

json status(int code, const std::string& reason, const std::string& message = "") {
  return {{"kind", "Status"}, {"code", code}, {"reason", reason}, {"message", message}};
}

TEST_F(ReconcilerTest, LeavesAJobAloneThatIsGone) {
  jobs_.replace("", {}, "7");
  EXPECT_EQ(pass().value(), std::optional<Time>());
  EXPECT_TRUE(api_.requests.empty());
}

TEST_F(ReconcilerTest, WritesTheFirstStatusOnConditionOfTheVersionItSaw) {
  see(a_job(), 7);
  ASSERT_TRUE(pass());
  EXPECT_EQ(api_.verbs().at(0), "patch trainingjobs/status");
  EXPECT_EQ(body(0)["metadata"]["resourceVersion"], "7");
  EXPECT_EQ(body(0)["status"]["attempt"], 1);
  EXPECT_EQ(body(0)["status"]["phase"], "Pending") << "a phase that was never written is written";
}

TEST_F(ReconcilerTest, CreatesTheServiceAndThePodsOfAnAttemptOnRecord) {
  see(a_job().attempt(1), 7);
  ASSERT_TRUE(pass());
  Words creates;
  for (std::size_t i = 0; i < api_.requests.size(); ++i) {
    if (api_.verbs()[i] == "create pods" || api_.verbs()[i] == "create services") {
      creates.push_back(body(i)["metadata"]["name"]);
    }
  }
  EXPECT_EQ(creates, (Words{"fashion", "fashion-0", "fashion-1"}));
}

TEST_F(ReconcilerTest, WaitsUntilItsWritesCameBack) {
  see(a_job().attempt(1), 7);
  ASSERT_TRUE(pass());
  const auto waiting = pass();
  ASSERT_TRUE(waiting);
  EXPECT_TRUE(waiting->has_value()) << "a net, should the cache never catch up";
  EXPECT_TRUE(api_.requests.empty()) << "a plan now would repeat the writes";
  see(a_job().attempt(1), api_.version);
  ASSERT_TRUE(pass());
  EXPECT_FALSE(api_.requests.empty());
}

TEST_F(ReconcilerTest, StopsWaitingAfterHalfAMinute) {
  see(a_job().attempt(1), 7);
  ASSERT_TRUE(pass());
  clock_.steady += std::chrono::seconds(30);
  ASSERT_TRUE(pass());
  EXPECT_FALSE(api_.requests.empty());
}

TEST_F(ReconcilerTest, DropsThePlanWhenSomebodyWroteFirst) {
  see(a_job().running().failed(1), 7);
  api_.on("patch trainingjobs/status/status", 409, status(409, "Conflict"));
  const auto outcome = pass();
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().kind, Kind::kConflict);
  EXPECT_EQ(api_.verbs(), Words{"patch trainingjobs/status"}) << "no event, no action";
  EXPECT_TRUE(transitions_.empty());
}

TEST_F(ReconcilerTest, RaisesTheAttemptAndDeletesNothingInTheSamePass) {
  see(a_job().running().failed(1), 7);
  ASSERT_TRUE(pass());
  EXPECT_EQ(body(0)["status"]["attempt"], 2);
  for (const std::string& verb : api_.verbs()) EXPECT_NE(verb, "delete pods");
  EXPECT_EQ(api_.verbs().at(1), "create events");
  EXPECT_EQ(body(1)["involvedObject"]["uid"], "job-uid");
  ASSERT_EQ(transitions_.size(), 1u);
  EXPECT_TRUE(transitions_[0].starts_with("Restarting "));
}

TEST_F(ReconcilerTest, DeletesPodsOfAnEarlierAttemptByUid) {
  see(a_job().running().failed(1).status({{"attempt", 2}, {"attemptCause", "Failure"}}), 7);
  ASSERT_TRUE(pass());
  int deletes = 0;
  for (std::size_t i = 0; i < api_.requests.size(); ++i) {
    if (api_.verbs()[i] != "delete pods") continue;
    ++deletes;
    EXPECT_FALSE(body(i)["preconditions"]["uid"].get<std::string>().empty());
  }
  EXPECT_EQ(deletes, 2);
}

TEST_F(ReconcilerTest, TakesADeleteOfWhatIsGoneAsDone) {
  see(a_job().running().failed(1).status({{"attempt", 2}, {"attemptCause", "Failure"}}), 7);
  api_.on("delete pods/fashion-0", 404, status(404, "NotFound"));
  ASSERT_TRUE(pass());
  EXPECT_EQ(api_.verbs().back(), "delete pods") << "the other pod comes next";
}

TEST_F(ReconcilerTest, StopsInMidPlanWhenTheJobChanged) {
  const auto changed = [](const char* how) {
    JobBuilder job = a_job().nodes(9).attempt(1).with_companions();
    const std::string change = how;
    if (change == "edited") job.metadata({{"generation", 2}});
    if (change == "deleted") job.metadata({{"deletionTimestamp", format_time(kNoon)}});
    if (change == "made again") job.metadata({{"uid", "other"}});
    if (change == "restarted") job.status({{"attempt", 2}});
    return job;
  };
  for (const char* how : {"edited", "deleted", "made again", "restarted", "not at all"}) {
    see(changed("not at all"), api_.version);
    int creates = 0;
    api_.on_request = [&](const std::string& what) {
      if (what == "create pods" && ++creates == 3) see(changed(how), api_.version);
    };
    const auto outcome = pass();
    const bool is_same = std::string(how) == "not at all";
    EXPECT_EQ(creates, is_same ? 9 : 3) << how;
    EXPECT_EQ(outcome.has_value(), is_same) << how;
  }
}

TEST_F(ReconcilerTest, SaysThatAWebhookFails) {
  see(a_job().attempt(1).with_companions(), 7);
  api_.on("create pods", 500, status(500, "InternalError", "failed calling webhook \"policy\""));
  ASSERT_TRUE(pass());
  see(a_job().attempt(1).with_companions(), api_.version);
  ASSERT_TRUE(pass());
  EXPECT_NE(api_.requests.at(0).body.find("failed calling webhook"), std::string::npos);
}

JobBuilder an_expired_job() {
  const json condition = {
      {"type", "Complete"}, {"status", "True"}, {"lastTransitionTime", format_time(kNoon)}};
  return a_job()
      .attempt(1)
      .status({{"observedGeneration", 1}, {"conditions", json::array({condition})}})
      .spec({{"runPolicy", {{"ttlSecondsAfterFinished", 10}}}});
}

TEST_F(ReconcilerTest, DeletesAnExpiredJobInTheVersionThatItSaw) {
  see(an_expired_job(), 7);
  ASSERT_TRUE(pass());
  ASSERT_EQ(api_.verbs(), Words{"delete trainingjobs"});
  EXPECT_EQ(body(0)["preconditions"], (json{{"uid", "job-uid"}, {"resourceVersion", "7"}}));
  EXPECT_EQ(body(0)["propagationPolicy"], "Background");
}

TEST_F(ReconcilerTest, LooksAgainWhenAnExpiredJobChangedMeanwhile) {
  see(an_expired_job(), 7);
  api_.on("delete trainingjobs/fashion", 409, status(409, "Conflict"));
  EXPECT_EQ(pass().error().kind, Kind::kConflict);
}

// A conflict may mean another uid, which the cache will show, or a race with another writer.
TEST_F(ReconcilerTest, LooksAgainAfterAConflictOnDelete) {
  see(a_job().running().failed(1).status({{"attempt", 2}, {"attemptCause", "Failure"}}), 7);
  api_.on("delete pods/fashion-0", 409, status(409, "Conflict"));
  const auto outcome = pass();
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().kind, Kind::kConflict);
}

TEST_F(ReconcilerTest, AsksTheServerBeforeItCallsANodeLost) {
  JobBuilder job = a_job().running();
  see(job, 7);
  pods_.erase("", job.observed().pods.at(1), "8");
  const Pod still_there = job.observed().pods.at(1);
  api_.on("get pods/fashion-1", 200,
          {{"metadata",
            {{"name", "fashion-1"},
             {"namespace", "ml"},
             {"uid", still_there.meta.uid},
             {"labels", still_there.meta.labels},
             {"ownerReferences", {{{"uid", "job-uid"}, {"controller", true}}}}}},
           {"status", {{"phase", "Running"}}}});
  ASSERT_TRUE(pass());
  EXPECT_EQ(api_.verbs().at(0), "get pods");
  for (const Request& request : api_.requests) {
    const json status = request.verb == "patch" ? json::parse(request.body)["status"] : json();
    EXPECT_FALSE(status.contains("attempt"));
  }
}

TEST_F(ReconcilerTest, RestartsWhenTheServerSaysThatThePodIsGone) {
  JobBuilder job = a_job().running();
  see(job, 7);
  pods_.erase("", job.observed().pods.at(1), "8");
  ASSERT_TRUE(pass());
  EXPECT_EQ(api_.verbs().at(0), "get pods");
  EXPECT_EQ(body(1)["status"]["attempt"], 2);
  EXPECT_EQ(body(1)["status"]["attemptCause"], "Disruption");
}

TEST_F(ReconcilerTest, PlansNothingWhenTheServerCannotSayWhetherAPodIsGone) {
  JobBuilder job = a_job().running();
  see(job, 7);
  pods_.erase("", job.observed().pods.at(1), "8");
  api_.on("get pods/fashion-1", 503, status(503, "ServiceUnavailable"));
  const auto outcome = pass();
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().kind, Kind::kUnavailable);
  EXPECT_EQ(api_.verbs(), Words{"get pods"});
}

json service_of(const std::string& owner) {
  return {{"metadata",
           {{"name", "fashion"},
            {"namespace", "ml"},
            {"uid", "s"},
            {"resourceVersion", "9"},
            {"ownerReferences", {{{"uid", owner}, {"controller", true}}}}}}};
}

TEST_F(ReconcilerTest, AcceptsAnObjectOfItsOwnThatExistsAlready) {
  see(a_job().attempt(1), 7);
  api_.on("create services", 409, status(409, "AlreadyExists"));
  api_.on("get services/fashion", 200, service_of("job-uid"));
  ASSERT_TRUE(pass());
  EXPECT_EQ(api_.verbs().back(), "create pods");
}

TEST_F(ReconcilerTest, SaysThatANameIsTakenAndCreatesNoPods) {
  see(a_job().attempt(1), 7);
  api_.on("create services", 409, status(409, "AlreadyExists"));
  api_.on("get services/fashion", 200, service_of("somebody"));
  EXPECT_EQ(pass().value(), std::optional(clock_.now())) << "the refusal is news";
  EXPECT_EQ(api_.verbs().back(), "get services");
  see(a_job().attempt(1), api_.version);
  ASSERT_TRUE(pass());
  EXPECT_NE(api_.requests.at(0).body.find("NameConflict"), std::string::npos);
}

TEST_F(ReconcilerTest, StopsCreatingAtAQuotaAndTriesAllAgainLater) {
  see(a_job().attempt(1).with_companions(), 7);
  api_.on("create pods", 403, status(403, "Forbidden", "exceeded quota: small"));
  EXPECT_EQ(pass().value(), std::optional(clock_.now()));
  EXPECT_EQ(api_.verbs().back(), "create pods");
  see(a_job().attempt(1).with_companions(), api_.version);
  ASSERT_TRUE(pass());
  EXPECT_EQ(body(0)["status"]["attemptCause"], "PartialCreate");
  EXPECT_NE(api_.requests.at(0).body.find("exceeded quota: small"), std::string::npos);
}

// Validation says that a pod can never be; a policy may say so, too, but can be changed.
TEST_F(ReconcilerTest, FailsAtOnceWhenValidationRefusesAPod) {
  const auto phase_after = [this](const std::string& words) {
    see(a_job().attempt(1).with_companions(), api_.version + 1);
    api_.on("create pods", 422, status(422, "Invalid", words));
    EXPECT_TRUE(pass());
    see(a_job().attempt(1).with_companions(), api_.version + 1);
    EXPECT_TRUE(pass());
    return body(0)["status"].value("phase", "Pending");
  };
  EXPECT_EQ(phase_after("Pod \"fashion-0\" is invalid: spec.containers[1].name: Duplicate value"),
            "Failed");
  EXPECT_EQ(phase_after("pods \"fashion-0\" is forbidden: ValidatingAdmissionPolicy 'x' denied "
                        "request: no"),
            "Pending");
}

TEST_F(ReconcilerTest, GoesOnWhenAnEventIsLost) {
  see(a_job().running().failed(1), 7);
  api_.on("create events", 500, status(500, "InternalError"));
  EXPECT_TRUE(pass());
}

TEST_F(ReconcilerTest, StopsBetweenTwoActions) {
  see(a_job().attempt(1), 7);
  stop_.request_stop();
  const auto outcome = pass();
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().kind, Kind::kCancelled);
  for (const std::string& verb : api_.verbs())
    EXPECT_EQ(verb.find("create pods"), std::string::npos);
}

TEST_F(ReconcilerTest, WritesNothingWhenNothingChanged) {
  JobBuilder job = a_job().attempt(1).with_companions();
  see(job, 7);
  ASSERT_TRUE(pass());
  for (int round = 0; round < 4; ++round) {
    for (const Request& request : api_.requests) {
      if (request.verb == "patch") job.status(json::parse(request.body)["status"]);
    }
    job.scheduled(0).scheduled(1);
    see(job, api_.version);
    ASSERT_TRUE(pass());
  }
  EXPECT_EQ(api_.verbs(), Words{}) << api_.requests.at(0).body;
}

class QueuedReconcilerTest : public ReconcilerTest {
 protected:
  Result<std::optional<Time>> pass() {
    api_.requests.clear();
    return queued_.reconcile(kJob, stop_.get_token());
  }

  static Platform with_kueue() {
    Platform platform;
    platform.has_kueue = true;
    return platform;
  }

  Store<Companion> workloads_ = store<Companion>();
  Reconciler queued_{client_,
                     {jobs_,
                      pods_,
                      {{kServices, &services_},
                       {kNetworkPolicies, &network_policies_},
                       {kWorkloads, &workloads_}}},
                     with_kueue(),
                     clock_};
};

TEST_F(QueuedReconcilerTest, ReadsThePriorityClassAndAsksTheQueue) {
  workloads_.replace("", {}, "10");
  api_.on("get workloadpriorityclasses/urgent", 200, {{"value", 7}});
  see(a_job().label(names::kQueueName, "vision").label(names::kQueuePriority, "urgent"), 10);
  ASSERT_TRUE(pass());
  EXPECT_EQ(api_.verbs(), (Words{"get workloadpriorityclasses", "patch trainingjobs/status",
                                 "create events", "create workloads"}));
  EXPECT_EQ(body(3)["spec"]["priority"], 7);
}

TEST_F(QueuedReconcilerTest, GivesQuotaBackOnceAndWaitsForTheCacheToShowIt) {
  const json stored = json::parse(R"({"metadata": {"name": "fashion", "namespace": "ml", "uid": "w",
    "resourceVersion": "10", "ownerReferences": [{"uid": "job-uid", "controller": true}]},
    "status": {"admission": {}, "conditions": [{"type": "QuotaReserved", "status": "True"},
      {"type": "Evicted", "status": "True", "reason": "Preempted", "message": "for another"}]}})");
  workloads_.replace("", {parse_companion(kWorkloads, stored).value()}, "10");
  see(a_job().label(names::kQueueName, "vision"), 10);
  ASSERT_TRUE(pass());
  EXPECT_EQ(api_.verbs().back(), "patch workloads/status");
  const json patch = json::parse(api_.requests.back().body);
  EXPECT_EQ(patch["metadata"]["resourceVersion"], "10");
  EXPECT_EQ(patch["status"]["admission"], nullptr);
  ASSERT_TRUE(pass());
  EXPECT_EQ(api_.verbs(), Words{}) << "the cache still shows the quota";
}

}  // namespace
}  // namespace lockstep
