// The doctor's findings, from real answers and from what may be added to them.
#include "operator/plugin/doctor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "operator/api/names.h"
#include "tests/operator/plugin/answers.h"

namespace lockstep {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Evidence evidence_of(const std::string& job, const json& change = {}) {
  Evidence seen;
  seen.job = job_of(job, change);
  seen.pods = pods_of(job);
  seen.machines = items_of("machines");
  seen.claims = items_of("claims");
  seen.operators = std::vector<json>{};
  return seen;
}

std::vector<std::string> wrong(const Evidence& seen) {
  std::vector<std::string> words;
  for (const Finding& finding : diagnose(seen, kAsked)) words.push_back(finding.wrong);
  return words;
}

Finding only(const Evidence& seen) {
  const Findings findings = diagnose(seen, kAsked);
  return findings.size() == 1 ? findings.front()
                              : Finding{std::to_string(findings.size()) + " findings", "", ""};
}

json condition(const std::string& type, const std::string& status, const std::string& reason,
               const std::string& message) {
  return {{"type", type}, {"status", status}, {"reason", reason}, {"message", message}};
}

// `status` with these conditions alone.
json with_conditions(const std::vector<json>& conditions) {
  return {{"status", {{"conditions", conditions}}}};
}

TEST(Doctor, FindsNothingWrongWithAJobThatRuns) {
  const Evidence seen = evidence_of("fashion");
  EXPECT_THAT(wrong(seen), IsEmpty());
  EXPECT_EQ(doctors_report(seen, {}, kAsked),
            "nothing is wrong: fashion is Running since 57s, 2/2 nodes ready\n");
}

TEST(Doctor, NamesMachinesThatDoNotFit) {
  const Finding finding = only(evidence_of("wide"));
  EXPECT_EQ(finding.wrong, "nodes 0, 1, 2: no machine fits");
  EXPECT_THAT(finding.evidence, HasSubstr("scheduler: 0/6 nodes are available: 1 Insufficient"));
  EXPECT_THAT(finding.advice, HasSubstr("spec.resourcesPerNode"));
}

TEST(Doctor, NamesTheImage) {
  const Finding finding = only(evidence_of("typo"));
  EXPECT_EQ(finding.wrong, "nodes 0, 1: the container does not start (ImagePullBackOff)");
  EXPECT_EQ(finding.evidence,
            "container trainer, image registry/fashoin:1: Back-off pulling image "
            "registry/fashoin:1");
  EXPECT_THAT(finding.advice, HasSubstr("imagePullSecrets"));
}

TEST(Doctor, SaysAMissingClaimOnce) {
  EXPECT_EQ(only(evidence_of("lost")).wrong, "the claim nowhere does not exist");
}

TEST(Doctor, LooksAtClaimsThatExist) {
  Evidence seen = evidence_of("lost");
  json claim = {{"metadata", {{"name", "nowhere"}}},
                {"spec", {{"accessModes", {"ReadWriteMany"}}}},
                {"status", {{"phase", "Pending"}}}};
  seen.claims->push_back(claim);
  seen.events = {{{"type", "Warning"},
                  {"reason", "ProvisioningFailed"},
                  {"message", "storageclass none not found"},
                  {"involvedObject", {{"kind", "PersistentVolumeClaim"}, {"name", "nowhere"}}}}};
  EXPECT_EQ(only(seen).wrong, "the claim nowhere is not bound");
  EXPECT_THAT(only(seen).evidence, HasSubstr("Pending: storageclass none not found"));
  seen.events[0]["reason"] = "WaitForFirstConsumer";
  EXPECT_THAT(wrong(seen), IsEmpty()) << "it waits for the pod, not the pod for it";
  seen.events.clear();
  seen.claims->back()["status"]["phase"] = "Bound";
  EXPECT_THAT(wrong(seen), IsEmpty());
  seen.claims->back()["spec"]["accessModes"] = {"ReadWriteOnce"};
  EXPECT_THAT(wrong(seen), IsEmpty()) << "one node needs no more";
  seen.job.spec.num_nodes = 2;
  EXPECT_EQ(only(seen).wrong, "the claim nowhere can be mounted on one machine only");
}

TEST(Doctor, NamesAnObjectInTheWay) {
  const Finding finding = only(evidence_of("taken"));
  EXPECT_EQ(finding.wrong, "an object of another owner has a name that the job needs");
  EXPECT_THAT(finding.evidence, HasSubstr("Service taken exists"));
}

TEST(Doctor, TellsRefusalsApart) {
  EXPECT_EQ(diagnose(evidence_of("greedy"), kAsked).front().wrong,
            "the namespace's quota is used up");
  const std::pair<const char*, const char*> refusals[] = {
      {"pods \"x\" is forbidden: violates PodSecurity \"restricted:latest\": ...",
       "Pod Security refuses the pods"},
      {"pods is forbidden: User \"x\" cannot create resource \"pods\" in API group \"\"",
       "the operator may not create what the job needs"},
      {"admission webhook \"a.b\" denied the request: no", "an admission webhook refuses the pods"},
      {"pods \"x\" is forbidden: maximum cpu usage per Container is 1, but limit is 8",
       "the namespace's LimitRange refuses the pods"},
      {"pods \"x\" is forbidden: error looking up service account v/y: serviceaccount \"y\" not "
       "found",
       "the pods' service account does not exist"},
      {"pods \"x\" is forbidden: no PriorityClass with name high was found",
       "the priority class does not exist"},
      {"Pod \"x\" is invalid: spec.volumes[0].name: Required value",
       "the API server refuses the pods"}};
  for (const auto& [words, expected] : refusals) {
    Evidence seen = evidence_of(
        "idle", with_conditions({condition("PodsCreated", "False", "CreateRefused", words)}));
    EXPECT_EQ(only(seen).wrong, expected) << words;
    EXPECT_EQ(only(seen).evidence, words);
  }
}

TEST(Doctor, ExplainsHowAJobEnded) {
  const Evidence seen = evidence_of("broken");
  EXPECT_THAT(wrong(seen),
              ElementsAre("the job has failed: BackoffLimitExceeded", "the master port was taken"));
  EXPECT_THAT(diagnose(seen, kAsked)[0].evidence,
              HasSubstr("RuntimeError: Address already in use"));
  Evidence unresolved = seen;
  unresolved.job.status.last_failure->message = "gaierror: Name or service not known";
  EXPECT_EQ(wrong(unresolved)[1], "the name of node 0 was not found");
  unresolved.job.status.last_failure->message = "ValueError";
  EXPECT_THAT(wrong(unresolved), ElementsAre("the job has failed: BackoffLimitExceeded"));
}

TEST(Doctor, NamesWhoHoldsAJob) {
  EXPECT_EQ(only(evidence_of("idle")).wrong, "the job is suspended");
  EXPECT_EQ(only(evidence_of("idle")).advice, "kubectl lockstep resume idle -n vision");
  const auto held = [](const char* reason, const char* message) {
    return evidence_of("idle", with_conditions({condition("Suspended", "True", reason, message)}));
  };
  Evidence queued = held(names::kWaitingForQuota, "waits in the queue vision");
  queued.workload = with_conditions({condition("QuotaReserved", "False", "Pending",
                                               "insufficient unused quota for nvidia.com/gpu")});
  EXPECT_EQ(only(queued).wrong, "the job waits in its queue");
  EXPECT_EQ(only(queued).evidence,
            "waits in the queue vision\nKueue: insufficient unused quota for nvidia.com/gpu");
  EXPECT_EQ(only(held(names::kNoKueue, "no Workloads")).wrong,
            "the job asks for a queue, but there is no Kueue");
}

TEST(Doctor, MissesTheOperator) {
  json unseen = job_object("idle");
  unseen.erase("status");
  Evidence seen = evidence_of("idle");
  seen.job = parsed(unseen);
  EXPECT_EQ(only(seen).wrong, "no operator looks at the job");
  EXPECT_THAT(only(seen).advice, HasSubstr("no Deployment of the operator was found"));
  EXPECT_THAT(diagnose(seen, *seen.job.meta.creation_time + std::chrono::seconds(2)), IsEmpty())
      << "it has a moment";
  seen.operators->push_back({{"metadata", {{"name", "lockstep-operator"}, {"namespace", "ls"}}},
                             {"status", {{"replicas", 1}}}});
  EXPECT_EQ(only(seen).wrong, "the operator does not run");
  EXPECT_THAT(only(seen).evidence, HasSubstr("ls/lockstep-operator"));
  (*seen.operators)[0]["status"]["readyReplicas"] = 1;
  EXPECT_EQ(only(seen).wrong, "no operator looks at the job");
}

TEST(Doctor, LooksAtTheMachinesOfPods) {
  Evidence seen = evidence_of("fashion");
  seen.machines->push_back(
      {{"metadata", {{"name", "vision-fashion-1"}}},
       {"status",
        {{"conditions",
          {condition("Ready", "Unknown", "NodeStatusUnknown", "Kubelet stopped posting")}}}}});
  EXPECT_EQ(only(seen).wrong, "node 1: the machine is in trouble");
  EXPECT_THAT(only(seen).evidence,
              HasSubstr("machine vision-fashion-1: Ready is Unknown, Kubelet stopped posting"));
  (*seen.machines).back()["status"]["conditions"][0] =
      condition("DiskPressure", "True", "x", "disk is full");
  EXPECT_THAT(only(seen).evidence, HasSubstr("DiskPressure is True"));
  (*seen.machines).back()["status"]["conditions"][0]["status"] = "False";
  EXPECT_THAT(wrong(seen), IsEmpty());
}

TEST(Doctor, TellsWhatKeepsAPodOnItsMachineFromStarting) {
  Evidence seen = evidence_of("typo");
  seen.pods.resize(1);
  json& pod = seen.pods[0];
  pod["status"]["containerStatuses"][0]["state"]["waiting"] = {{"reason", "ContainerCreating"}};
  EXPECT_THAT(wrong(seen), IsEmpty()) << "no word of trouble";
  seen.events = {{{"type", "Warning"},
                  {"reason", "FailedMount"},
                  {"message", "mount failed: exit status 32"},
                  {"involvedObject", {{"kind", "Pod"}, {"uid", pod["metadata"]["uid"]}}}}};
  EXPECT_EQ(only(seen).wrong, "node 0: the pod takes long to start");
  EXPECT_EQ(only(seen).evidence, "FailedMount: mount failed: exit status 32");
}

TEST(Doctor, LeavesPodsWithoutAMachineToTheScheduler) {
  Evidence seen = evidence_of("wide");
  for (const json& pod : seen.pods) {
    seen.events.push_back({{"type", "Warning"},
                           {"reason", "FailedScheduling"},
                           {"message", "0/6 nodes are available"},
                           {"involvedObject", {{"kind", "Pod"}, {"uid", pod["metadata"]["uid"]}}}});
  }
  EXPECT_EQ(only(seen).wrong, "nodes 0, 1, 2: no machine fits");
}

TEST(Doctor, NamesAPodThatDoesNotEnd) {
  Evidence seen = evidence_of("fashion");
  seen.earlier_pods.push_back(seen.pods[1]);
  json& meta = seen.earlier_pods[0]["metadata"];
  meta["deletionTimestamp"] = format_time(kAsked + std::chrono::seconds(10));
  EXPECT_THAT(wrong(seen), IsEmpty()) << "it is within its grace period";
  meta["deletionTimestamp"] = format_time(kAsked - std::chrono::seconds(90));
  EXPECT_THAT(only(seen).wrong, HasSubstr("node 1: a pod of an earlier attempt does not end"));
  EXPECT_THAT(only(seen).evidence, HasSubstr("vision-fashion-1 should have been gone 1m30s ago"));
}

TEST(Doctor, LooksWhetherNodesFindEachOther) {
  Evidence seen = evidence_of("fashion");
  seen.services = items_of("services");
  seen.endpoints = std::vector<json>{};
  EXPECT_THAT(wrong(seen), IsEmpty()) << "no pod has an address yet";
  seen.pods[0]["status"]["podIP"] = "10.0.0.1";
  EXPECT_THAT(only(seen).wrong, HasSubstr("DNS has no addresses"));
  seen.endpoints->push_back({{"endpoints", {{{"addresses", {"10.0.0.1"}}}}}});
  EXPECT_THAT(wrong(seen), IsEmpty());
  seen.services->clear();
  EXPECT_THAT(only(seen).wrong, HasSubstr("the job's Service is gone"));
}

TEST(Doctor, SaysAlsoWhatItCouldNotSee) {
  Evidence seen = evidence_of("fashion");
  seen.unread = {"machines: forbidden"};
  EXPECT_THAT(doctors_report(seen, {}, kAsked), HasSubstr("\nnot examined: machines: forbidden\n"));
}

TEST(Doctor, NumbersItsFindings) {
  EXPECT_EQ(findings_text({{"a is wrong", "one\ntwo", "mend a"}, {"b is wrong", "", "mend b"}}),
            "1. a is wrong\n"
            "   seen: one\n"
            "         two\n"
            "   do:   mend a\n"
            "2. b is wrong\n"
            "   do:   mend b\n");
}

TEST(Doctor, ExplainsWhatCannotBeRead) {
  EXPECT_EQ(about_unreadable({Kind::kNotFound, "x", 0, kNoSuchKind}).wrong,
            "the cluster does not know TrainingJobs");
  EXPECT_EQ(about_unreadable({Kind::kUnavailable, "x", 0, kNoKubectl}).wrong,
            "kubectl cannot be run");
  EXPECT_EQ(about_unreadable({Kind::kUnavailable, "x"}).wrong, "the cluster does not answer");
  EXPECT_EQ(about_unreadable({Kind::kForbidden, "x"}).wrong, "you may not read TrainingJobs");
  const Finding unknown = about_unknown_job("fashoin", "vision", {"wide", "fashion"});
  EXPECT_EQ(unknown.wrong, "there is no TrainingJob fashoin in namespace vision");
  EXPECT_THAT(unknown.advice, HasSubstr("did you mean fashion?"));
  EXPECT_EQ(about_unknown_job("nope", "vision", {"wide"}).advice,
            "Others are elsewhere: kubectl lockstep list -A");
}

}  // namespace
}  // namespace lockstep
