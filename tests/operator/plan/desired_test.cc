// The pods of a job, against golden files written by hand from docs/api.md.
#include <gmock/gmock.h>

#include "operator/plan/desired_pod.h"
#include "tests/operator/plan/golden.h"
#include "tests/support/job_builder.h"

namespace lockstep {
namespace {

using nlohmann::json;
using testing::Contains;
using testing::Not;

json pod_of(const JobBuilder& job, int rank = 0) {
  return desired_pod(job.job(), rank, job.observed().platform);
}

const json& container(const json& pod, const std::string& name) {
  for (const char* kind : {"containers", "initContainers"}) {
    if (!pod["spec"].contains(kind)) continue;
    for (const json& each : pod["spec"][kind]) {
      if (each["name"] == name) return each;
    }
  }
  static const json none;
  return none;
}

std::map<std::string, std::string> env(const json& pod, const std::string& name = "trainer") {
  std::map<std::string, std::string> result;
  for (const json& each : container(pod, name)["env"])
    result[each["name"]] = each.value("value", "");
  return result;
}

TEST(DesiredPod, IsWhatTheReferenceSaysForOurImage) {
  const auto job = a_job().attempt(2).spec(json::parse(R"json({
    "numNodes": 2, "resourcesPerNode": {"limits": {"nvidia.com/gpu": 8}},
    "config": {"model": {"name": "mlp"}, "note": "costs $5 or $(HOME)"},
    "mounts": [{"claimName": "fashion-data", "path": "/data", "readOnly": true}],
    "checkpoints": {"claimName": "ckpt"}})json"));
  EXPECT_EQ(pod_of(job, 1), golden("our_image.json")) << pod_of(job, 1).dump(1);
}

TEST(DesiredPod, LeavesAForeignImageAsItsAuthorWroteIt) {
  const auto job = a_job().attempt(1).nodes(1).spec(json::parse(R"json({
    "image": "example/torchrun:7", "command": ["torchrun", "train.py"],
    "template": {"metadata": {"labels": {"team": "vision"}},
      "spec": {"terminationGracePeriodSeconds": 120, "automountServiceAccountToken": true,
        "initContainers": [{"name": "fetch", "image": "busybox"}],
        "containers": [{"name": "log", "image": "fluent"}]}}})json"));
  EXPECT_EQ(pod_of(job, 0), golden("foreign_image.json")) << pod_of(job, 0).dump(1);
}

TEST(DesiredPod, SetsRankOnlyWhereANodeRunsOneProcess) {
  const auto one = env(pod_of(a_job().nodes(3), 2));
  EXPECT_EQ(one.at("RANK"), "2");
  EXPECT_EQ(one.at("LOCAL_RANK"), "0");
  const auto many = env(pod_of(a_job().nodes(3).spec({{"procPerNode", 4}}), 2));
  EXPECT_FALSE(many.contains("RANK"));
  EXPECT_EQ(many.at("LOCKSTEP_RANK_OFFSET"), "8");
  EXPECT_EQ(many.at("WORLD_SIZE"), "12");
}

TEST(DesiredPod, GivesTheEnvironmentToInitContainersAndLetsOursWin) {
  const json pod = pod_of(a_job().attempt(1).spec(json::parse(R"json({"template": {"spec": {
    "initContainers": [{"name": "fetch", "env": [
      {"name": "NNODES", "value": "99"}, {"name": "MINE", "value": "$(NNODES)"}]}]}}})json")));
  EXPECT_EQ(env(pod, "fetch").at("NNODES"), "2");
  EXPECT_EQ(env(pod, "fetch").at("MINE"), "$(NNODES)");
  EXPECT_EQ(container(pod, "fetch")["env"].back()["name"], "MINE") << "ours come first, to be used";
}

TEST(DesiredPod, KeepsTheImageOfTheFirstAttempt) {
  const auto job = a_job().attempt(3).status({{"image", "lockstep/trainer:old"}});
  EXPECT_EQ(container(pod_of(job), "trainer")["image"], "lockstep/trainer:old");
}

TEST(DesiredPod, LetsTheTemplateOverrideWhatIsOnlyADefault) {
  const json pod = pod_of(a_job().spec(json::parse(R"json({"template": {"spec": {
    "securityContext": {"fsGroup": 7}, "volumes": [{"name": "shm", "emptyDir": {}}],
    "containers": [{"name": "trainer", "terminationMessagePolicy": "File",
                    "securityContext": {"runAsNonRoot": false},
                    "volumeMounts": [{"name": "shm", "mountPath": "/dev/shm"}]}]}}})json")));
  EXPECT_EQ(pod["spec"]["securityContext"]["fsGroup"], 7);
  const json& trainer = container(pod, "trainer");
  EXPECT_EQ(trainer["securityContext"]["runAsNonRoot"], false);
  EXPECT_EQ(trainer["securityContext"]["allowPrivilegeEscalation"], false);
  EXPECT_EQ(trainer["terminationMessagePolicy"], "File");
  EXPECT_EQ(trainer["volumeMounts"].size(), 1u) << "no second /dev/shm";
}

TEST(DesiredPod, OverridesWhatWouldBreakTheJob) {
  const json pod = pod_of(a_job().attempt(1).spec(json::parse(R"json({"template": {
    "metadata": {"labels": {"lockstep.dev/attempt": "9"}},
    "spec": {"restartPolicy": "Always", "hostname": "mine", "subdomain": "mine"}}})json")));
  EXPECT_EQ(pod["spec"]["restartPolicy"], "Never");
  EXPECT_EQ(pod["spec"]["hostname"], "fashion-0");
  EXPECT_EQ(pod["spec"]["subdomain"], "fashion");
  EXPECT_EQ(pod["metadata"]["labels"]["lockstep.dev/attempt"], "1");
}

TEST(DesiredPod, DeclaresTheMasterPortOnNodeZeroOnly) {
  const auto job = a_job().spec({{"masterPort", 2345}});
  EXPECT_EQ(container(pod_of(job, 0), "trainer")["ports"][0]["containerPort"], 2345);
  EXPECT_FALSE(container(pod_of(job, 1), "trainer").contains("ports"));
  EXPECT_EQ(env(pod_of(job, 1)).at("PET_MASTER_PORT"), "2345");
}

TEST(DesiredPod, LeavesTheLauncherTimeWithinTheGracePeriod) {
  const auto with_grace = [](int seconds) {
    return env(pod_of(a_job().spec(
                   {{"template", {{"spec", {{"terminationGracePeriodSeconds", seconds}}}}}})))
        .at("LOCKSTEP_GRACE_SECONDS");
  };
  EXPECT_EQ(env(pod_of(a_job())).at("LOCKSTEP_GRACE_SECONDS"), "55");
  EXPECT_EQ(with_grace(30), "25");
  EXPECT_EQ(with_grace(3), "1");
}

TEST(DesiredPod, TellsAContainerWhereItsTerminationMessageIsReadFrom) {
  const json pod = pod_of(a_job().spec(json::parse(R"json({"template": {"spec": {
    "initContainers": [{"name": "usual", "terminationMessagePath": "/dev/termination-log"}],
    "containers": [{"name": "trainer", "terminationMessagePath": "/run/$(RANK)/end",
                    "env": [{"name": "LOCKSTEP_TERMINATION_LOG", "value": "/elsewhere"}]},
                   {"name": "log"}]}}})json")));
  EXPECT_EQ(env(pod).at("LOCKSTEP_TERMINATION_LOG"), "/run/$$(RANK)/end") << "not expanded";
  for (const char* other : {"usual", "log"}) {
    EXPECT_FALSE(env(pod, other).contains("LOCKSTEP_TERMINATION_LOG")) << other;
  }
}

TEST(DesiredPod, LeavesTheHangTimeoutToTheJob) {
  const json pod = pod_of(
      a_job().spec(json::parse(R"({"env": [{"name": "LOCKSTEP_HANG_TIMEOUT", "value": "600"}]})")));
  EXPECT_EQ(env(pod).at("LOCKSTEP_HANG_TIMEOUT"), "600");
}

TEST(DesiredPod, TakesSharedMemoryAsTheJobSays) {
  const auto volumes = [](const char* spec) {
    const json pod = pod_of(a_job().spec({{"sharedMemory", json::parse(spec)}}));
    return pod["spec"].value("volumes", json::array());
  };
  EXPECT_EQ(volumes("{}"), json::parse(R"([{"name": "lockstep-shm",
                                           "emptyDir": {"medium": "Memory"}}])"));
  EXPECT_EQ(volumes(R"({"sizeLimit": "8Gi"})"), json::parse(R"([{"name": "lockstep-shm",
                            "emptyDir": {"medium": "Memory", "sizeLimit": "8Gi"}}])"));
  EXPECT_EQ(volumes(R"({"enabled": false})"), json::array());
}

TEST(DesiredPod, MountsTheJobsVolumesInsteadOfTheTemplates) {
  const json pod = pod_of(a_job().spec(json::parse(R"({
    "mounts": [{"claimName": "data", "path": "/data"}, {"claimName": "fast", "path": "/dev/shm"}],
    "template": {"spec": {"volumes": [{"name": "own", "emptyDir": {}}], "containers": [
      {"name": "trainer", "volumeMounts": [{"name": "own", "mountPath": "/data"},
                                           {"name": "own", "mountPath": "/own"}]}]}}})")));
  std::map<std::string, std::string> mounted;
  for (const json& mount : container(pod, "trainer")["volumeMounts"]) {
    EXPECT_TRUE(mounted.emplace(mount["mountPath"], mount["name"]).second) << mount;
  }
  EXPECT_EQ(mounted,
            (std::map<std::string, std::string>{
                {"/data", "lockstep-mount-0"}, {"/dev/shm", "lockstep-mount-1"}, {"/own", "own"}}));
}

TEST(DesiredPod, LaysItsGroupsPlacementOverTheTemplates) {
  const auto job = a_job().spec(json::parse(R"({"numNodes": null,
    "nodeGroups": [{"name": "a"}, {"name": "b", "nodeSelector": {"gpu": "old", "rack": "7"},
      "tolerations": [{"key": "b"}], "affinity": {"nodeAffinity": {}}}],
    "template": {"spec": {"nodeSelector": {"gpu": "new", "disk": "ssd"},
      "tolerations": [{"key": "all"}], "affinity": {"podAffinity": {}}}}})"));
  const json first = pod_of(job, 0)["spec"];
  EXPECT_EQ(first["nodeSelector"], json::parse(R"({"gpu": "new", "disk": "ssd"})"));
  EXPECT_EQ(first["affinity"], json::parse(R"({"podAffinity": {}})"));
  const json second = pod_of(job, 1)["spec"];
  EXPECT_EQ(second["nodeSelector"], json::parse(R"({"gpu": "old", "rack": "7", "disk": "ssd"})"));
  EXPECT_EQ(second["tolerations"], json::parse(R"([{"key": "all"}, {"key": "b"}])"));
  EXPECT_EQ(second["affinity"], json::parse(R"({"nodeAffinity": {}})"));
  EXPECT_EQ(pod_of(job, 1)["metadata"]["labels"]["lockstep.dev/node-group"], "b");
}

TEST(DesiredPod, IsSpreadOverMachinesUnlessTheTemplateSaysHow) {
  EXPECT_EQ(pod_of(a_job().nodes(2))["spec"]["topologySpreadConstraints"].size(), 1u);
  EXPECT_FALSE(pod_of(a_job().nodes(1))["spec"].contains("topologySpreadConstraints"));
  const auto own =
      a_job().spec(json::parse(R"({"template": {"spec": {"topologySpreadConstraints": []}}})"));
  EXPECT_EQ(pod_of(own)["spec"]["topologySpreadConstraints"], json::array());
}

TEST(DesiredPod, HasAPortOfItsAttemptsOwnOnTheHostNetwork) {
  const auto with_host_network = [](int attempt) {
    return a_job().attempt(attempt).spec(
        json::parse(R"({"template": {"spec": {"hostNetwork": true}}})"));
  };
  // FNV-1a of "job-uid/1" and "job-uid/2" modulo 10000.
  EXPECT_EQ(env(pod_of(with_host_network(1))).at("MASTER_PORT"), "26963");
  EXPECT_EQ(env(pod_of(with_host_network(2), 1)).at("PET_MASTER_PORT"), "24582");
  EXPECT_EQ(pod_of(with_host_network(1))["spec"]["dnsPolicy"], "ClusterFirstWithHostNet");
  EXPECT_EQ(container(pod_of(with_host_network(1)), "trainer")["ports"][0]["containerPort"], 26963);
  const auto fixed = with_host_network(1).spec({{"masterPort", 4000}});
  EXPECT_EQ(env(pod_of(fixed)).at("MASTER_PORT"), "4000");
}

TEST(DesiredPod, CarriesTheJobsPriority) {
  const auto job = a_job().spec({{"schedulingPolicy", {{"priorityClassName", "urgent"}}}});
  EXPECT_EQ(pod_of(job)["spec"]["priorityClassName"], "urgent");
}

}  // namespace
}  // namespace lockstep
