// Specs: defaults, and a sentence for each value that makes no sense.
#include "operator/api/job_spec.h"

#include <gmock/gmock.h>

#include "operator/api/training_job.h"
#include "tests/support/spec.h"

namespace lockstep {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> faults_of(const json& spec) {
  Faults faults;
  parse_spec(spec, faults);
  return faults.sentences();
}

TEST(JobSpec, HasTheDocumentedDefaults) {
  const JobSpec spec = spec_of("{}");
  EXPECT_EQ(spec.num_nodes, 1);
  ASSERT_EQ(spec.node_groups.size(), 1u);
  EXPECT_EQ(spec.node_groups[0].proc_per_node, std::nullopt);
  EXPECT_EQ(spec.master_port, std::nullopt);
  EXPECT_TRUE(spec.shared_memory.is_enabled);
  EXPECT_TRUE(spec.is_isolated);
  EXPECT_EQ(spec.scheduling.gang, Gang::kNone);
  EXPECT_EQ(spec.run_policy.backoff_limit, 3);
  EXPECT_EQ(spec.run_policy.startup_deadline_seconds, 1800);
  EXPECT_EQ(spec.run_policy.clean_pod_policy, CleanPodPolicy::kRunning);
  EXPECT_FALSE(spec.run_policy.is_suspended);
  EXPECT_TRUE(spec.config.is_null());
}

TEST(JobSpec, IsReadWhole) {
  const JobSpec spec = spec_of(R"({
    "numNodes": 3, "procPerNode": 4, "image": "x", "command": ["a"], "args": ["b", "c"],
    "env": [{"name": "A", "value": "1"}], "config": {"model": {}}, "masterPort": 2000,
    "mounts": [{"claimName": "data", "path": "/data", "readOnly": true}],
    "checkpoints": {"claimName": "ckpt", "subPath": "runs/7"},
    "sharedMemory": {"sizeLimit": "8Gi"}, "networkPolicy": "None",
    "schedulingPolicy": {"gang": "Auto", "queue": "q", "scheduleTimeoutSeconds": 60},
    "runPolicy": {"suspend": true, "backoffLimit": 0, "cleanPodPolicy": "All"}})");
  EXPECT_EQ(spec.num_nodes, 3);
  EXPECT_EQ(spec.node_groups.at(0).proc_per_node, 4);
  EXPECT_EQ(spec.shared_memory.size_limit, "8Gi");
  EXPECT_FALSE(spec.is_isolated);
  EXPECT_EQ(spec.scheduling.gang, Gang::kAuto);
  EXPECT_EQ(spec.scheduling.schedule_timeout_seconds, 60);
  EXPECT_EQ(spec.args, (std::vector<std::string>{"b", "c"}));
  EXPECT_TRUE(spec.mounts.at(0).is_read_only);
  EXPECT_EQ(spec.checkpoints->path, "/checkpoints");
  EXPECT_EQ(spec.checkpoints->sub_path, "runs/7");
  EXPECT_TRUE(spec.run_policy.is_suspended);
  EXPECT_EQ(spec.run_policy.clean_pod_policy, CleanPodPolicy::kAll);
}

TEST(JobSpec, AddsUpItsGroups) {
  const JobSpec spec = spec_of(R"({"procPerNode": 8, "nodeGroups": [
    {"name": "new", "numNodes": 2},
    {"name": "old", "numNodes": 3, "procPerNode": 4, "nodeSelector": {"gpu": "a"}},
    {"name": "cpu", "procPerNode": "auto"}]})");
  EXPECT_EQ(spec.num_nodes, 6);
  EXPECT_EQ(spec.node_groups.at(0).proc_per_node, 8) << "the job's, where a group says nothing";
  EXPECT_EQ(spec.node_groups.at(1).proc_per_node, 4);
  EXPECT_EQ(spec.node_groups.at(2).proc_per_node, std::nullopt);
}

TEST(JobSpec, RefusesWhatMakesNoSenseInOneSentence) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"numNodes": 0})", "spec.numNodes is 0: write a whole number from 1 to 4096"},
      {R"({"numNodes": "two"})", "spec.numNodes is \"two\""},
      {R"({"procPerNode": 65})",
       "spec.procPerNode is 65: write a whole number from 1 to 64, or auto"},
      {R"({"masterPort": 80})", "spec.masterPort is 80"},
      {R"({"command": "run"})", "spec.command is \"run\": write a list of strings"},
      {R"({"args": [1]})", "spec.args[] is 1: write a string, in quotes"},
      {R"({"env": [{"value": "1"}]})", "an entry with a name"},
      {R"({"config": []})", "spec.config is []: write an object"},
      {R"({"template": {"spec": {"containers": [7]}}})", "spec.template.spec.containers[] is 7"},
      {R"({"mounts": [{"path": "/d"}]})", "write both claimName and path"},
      {R"({"checkpoints": {}})", "write the claimName of a PersistentVolumeClaim"},
      {R"({"runPolicy": {"backoffLimit": -1}})", "spec.runPolicy.backoffLimit is -1"},
      {R"({"runPolicy": {"cleanPodPolicy": "Some"}})", "write Running, All or None"},
      {R"({"sharedMemory": {"sizeLimit": true}})",
       "spec.sharedMemory.sizeLimit is true: write a q"},
      {R"({"networkPolicy": "Open"})", "spec.networkPolicy is \"Open\": write JobOnly or None"},
      {R"({"schedulingPolicy": {"gang": "Kueue"}})", "None, Auto, Volcano, Coscheduling or Native"},
      {R"({"numNodes": 2, "nodeGroups": [{"name": "a"}]})",
       "nodeGroups say how many nodes there are"},
      {R"({"nodeGroups": [{}]})", "spec.nodeGroups[] is {}: write an entry with a name"},
      {R"({"nodeGroups": [{"name": "A_b!"}]})",
       "spec.nodeGroups[].name is \"A_b!\": write at most"},
      {R"({"nodeGroups": [{"name": "-a"}]})", "the first and the last no -"},
      {R"({"nodeGroups": [{"name": "a", "nodeSelector": {"zone": 1}}]})",
       "spec.nodeGroups[].nodeSelector[zone] is 1: write a string"},
      {R"({"nodeGroups": [{"name": "a"}, {"name": "a"}]})", "write another name: it is taken"},
      {R"({"nodeGroups": [{"name": "a", "numNodes": 4096}, {"name": "b"}]})",
       "spec.nodeGroups is 4097: write groups of at most 4096 nodes in all"},
      {R"({"nodeGroups": [{"name": "a", "procPerNode": 0}]})",
       "spec.nodeGroups[].procPerNode is 0"},
      {R"([])", "spec is []: write an object"}};
  for (const auto& [spec, sentence] : cases) {
    EXPECT_THAT(faults_of(json::parse(spec)), ElementsAre(HasSubstr(sentence))) << spec;
  }
}

TEST(JobSpec, TakesAConfigOf64KibAndNoByteMore) {
  const auto config_of = [](std::size_t bytes) {
    return json{{"config", {{"k", std::string(bytes - std::string(R"({"k":""})").size(), 'x')}}}};
  };
  EXPECT_THAT(faults_of(config_of(kMaxConfigBytes)), IsEmpty());
  EXPECT_THAT(faults_of(config_of(kMaxConfigBytes + 1)),
              ElementsAre(HasSubstr("takes 65537 bytes as JSON, but at most 64 KiB fit")));
}

TEST(TrainingJob, IsKeptWithASentenceWhenItsSpecMakesNoSense) {
  const json object = {{"metadata", {{"name", "a"}, {"uid", "u"}}},
                       {"spec", {{"numNodes", 0}, {"runPolicy", {{"managedBy", "other"}}}}}};
  const TrainingJob job = parse_training_job(object).value();
  EXPECT_THAT(job.faults.sentences(), ElementsAre(HasSubstr("spec.numNodes")));
  EXPECT_EQ(job.spec.run_policy.managed_by, "other");
}

TEST(TrainingJob, HasASentenceForEachOfItsFaults) {
  const json object = {
      {"metadata", {{"name", "A"}, {"uid", "u"}}},
      {"spec", json::parse(R"({"numNodes": 0, "launcher": "Add", "masterPort": 9790,
    "env": [{"name": "RANK"}, {"name": "RANK"}, {"name": "B="}],
    "schedulingPolicy": {"gang": "Slurm", "queue": "q", "scheduleTimeoutSeconds": 0},
    "runPolicy": {"successPolicy": "Any", "successGraceSeconds": 1,
                  "restartBackoff": {"initialSeconds": -1, "maxSeconds": 1},
                  "failureRules": [{"exitCodes": [0]}, {"action": "Fail"}]}})")}};
  const Faults faults = parse_training_job(object).value().faults;
  EXPECT_THAT(faults.sentences(),
              ElementsAre(HasSubstr("numNodes is 0"), HasSubstr("launcher is \"Add\""),
                          HasSubstr("gang is \"Slurm\""), HasSubstr("scheduleTimeoutSeconds is 0"),
                          HasSubstr("initialSeconds is -1"), HasSubstr("exitCodes[] is 0"),
                          HasSubstr("action is \"\""), HasSubstr("exitCodes, reasons or both"),
                          HasSubstr("successPolicy is \"Any\""), HasSubstr("metadata.name: "),
                          HasSubstr("RANK is set by the operator"), HasSubstr("without '='"),
                          HasSubstr("port 9790")))
      << "no other follows from one that is named already";
  EXPECT_THAT(faults.summary(), EndsWith("exitCodes, reasons or both; and 5 more"));
}

}  // namespace
}  // namespace lockstep
