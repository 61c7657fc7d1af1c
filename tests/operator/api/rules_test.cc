// The rules that the definition states in CEL, in the same words.
#include "operator/api/rules.h"

#include <gmock/gmock.h>

#include "operator/api/training_job.h"

namespace lockstep {
namespace {

using nlohmann::json;
using testing::EndsWith;
using testing::StartsWith;

// What is wrong with a job of that name and spec; empty: nothing.
std::string mistake(const std::string& spec, const std::string& name = "fashion") {
  return parse_training_job(
             {{"metadata", {{"name", name}, {"uid", "u"}}}, {"spec", json::parse(spec)}})
      .value()
      .faults.summary();
}

std::string of_template(const std::string& pod) { return R"({"template": {"spec": )" + pod + "}}"; }

const char kName[] =
    "the name becomes a Service and host names, so write lower-case letters, digits and '-', "
    "beginning with a letter, without dots";
const char kNameLength[] =
    "the name is too long for its pods, which are called <name>-<node rank>, so write at most 61 "
    "characters (60 from 11 nodes on, 59 from 101, 58 from 1001)";
const char kClaim[] =
    "write the name of a claim in the job's namespace, of lower-case letters, digits, '-' and '.'";
const char kPath[] =
    "write an absolute path, such as /data, without a colon and without a slash at its end";
const char kFolder[] = "write a relative path without .., such as runs/7";
const char kBelongs[] =
    "checkpoints.path (/checkpoints when absent) belongs to the checkpoints, so mount something "
    "else elsewhere";
const char kTwice[] =
    "CHECKPOINT_DIR is set from checkpoints.path, so remove it from env or leave checkpoints out";

TEST(Rules, RefuseNamesThatMakeNoHostNames) {
  for (const char* name :
       {"1st", "a.b", "A", "a-", "-a", "a_b", "a/b", "gr\xc3\xbc\xc3\x9f", "a\n"}) {
    EXPECT_EQ(mistake("{}", name), std::string("metadata.name: ") + kName) << name;
  }
  for (const char* name : {"a", "a1", "a-1", "fashion-mnist-2"}) EXPECT_EQ(mistake("{}", name), "");
}

TEST(Rules, BoundNamesByTheNamesOfTheirPods) {
  const std::pair<int, std::size_t> longest[] = {{1, 61},   {10, 61},   {11, 60},   {100, 60},
                                                 {101, 59}, {1000, 59}, {1001, 58}, {4096, 58}};
  for (const auto& [nodes, length] : longest) {
    const std::string spec = R"({"numNodes": )" + std::to_string(nodes) + "}";
    EXPECT_EQ(mistake(spec, std::string(length, 'a')), "") << nodes;
    EXPECT_THAT(mistake(spec, std::string(length + 1, 'a')), EndsWith(kNameLength)) << nodes;
  }
}

TEST(Rules, SayWhatToWriteInstead) {
  const std::tuple<const char*, const char*, const char*> cases[] = {
      {R"({"image": "my image"})", "spec.image", "write the image without blanks"},
      {R"({"image": "image\n"})", "spec.image", "write the image without blanks"},
      {R"({"env": [{"name": "A=1"}]})", "spec.env", "write the name without '='"},
      {R"({"env": [{"name": "A", "value": "1", "valueFrom": {}}]})", "spec.env",
       "write value or valueFrom, not both"},
      {R"({"nodeGroups": [{"name": "a", "env": [{"name": "B="}]}]})", "spec.nodeGroups[].env",
       "write the name without '='"},
      {R"({"mounts": [{"claimName": "Data", "path": "/d"}]})", "spec.mounts[].claimName", kClaim},
      {R"({"mounts": [{"claimName": "other/data", "path": "/d"}]})", "spec.mounts[].claimName",
       kClaim},
      {R"({"checkpoints": {"claimName": "-data"}})", "spec.checkpoints.claimName", kClaim},
      {R"({"mounts": [{"claimName": "data", "path": "d"}]})", "spec.mounts[].path", kPath},
      {R"({"mounts": [{"claimName": "data", "path": "/d:ro"}]})", "spec.mounts[].path", kPath},
      {R"({"mounts": [{"claimName": "data", "path": "/d/"}]})", "spec.mounts[].path", kPath},
      {R"({"mounts": [{"claimName": "data", "path": "/"}]})", "spec.mounts[].path", kPath},
      {R"({"checkpoints": {"claimName": "c", "path": "d"}})", "spec.checkpoints.path", kPath},
      {R"({"checkpoints": {"claimName": "c", "subPath": "/d"}})", "spec.checkpoints.subPath",
       kFolder},
      {R"({"checkpoints": {"claimName": "c", "subPath": ".."}})", "spec.checkpoints.subPath",
       kFolder},
      {R"({"checkpoints": {"claimName": "c", "subPath": "a/../.."}})", "spec.checkpoints.subPath",
       kFolder},
      {R"({"checkpoints": {"claimName": "c"}, "mounts": [{"claimName": "d", "path": "/checkpoints"}]})",
       "spec.mounts", kBelongs},
      {R"({"checkpoints": {"claimName": "c", "path": "/c"}, "mounts": [{"claimName": "d", "path": "/c"}]})",
       "spec.mounts", kBelongs},
      {R"({"checkpoints": {"claimName": "c"}, "env": [{"name": "CHECKPOINT_DIR"}]})", "spec.env",
       kTwice},
      {R"({"masterPort": 9790})", "spec.masterPort",
       "port 9790 serves the progress report, so write another"},
      {R"({"template": {"spec": {"restartPolicy": "Always"}}})", "spec.template.spec.restartPolicy",
       "write Never or leave it out: a lost node restarts all nodes, which the operator does"}};
  for (const auto& [spec, where, sentence] : cases) {
    EXPECT_EQ(mistake(spec), std::string(where) + ": " + sentence) << spec;
  }
}

const char kHost[] =
    "each node gets the host name <job>-<node rank> under the job's Service, so leave it out";
const char kOurs[] = "names that begin with lockstep- are the operator's, so write another";
const char kDevices[] = "write a plain whole number of each device, such as 8 for nvidia.com/gpu";
const char kFolderOfTheLauncher[] =
    "the launcher is put into /lockstep, so mount something else elsewhere";

TEST(Rules, KeepWhatTheOperatorGivesEachPod) {
  const std::string pod = "spec.template.spec.";
  const std::tuple<const char*, const char*, const char*> cases[] = {
      {R"({"hostname": "a"})", "hostname", kHost},
      {R"({"subdomain": "a"})", "subdomain", kHost},
      {R"({"volumes": [{"name": "lockstep-shm"}]})", "volumes[].name", kOurs},
      {R"({"initContainers": [{"name": "lockstep-launcher"}]})", "initContainers[].name", kOurs},
      {R"({"initContainers": [{"name": "trainer"}]})", "initContainers[].name",
       "trainer is the container that trains, so write another name"},
      {R"({"containers": [{"name": "trainer", "restartPolicy": "Always"}]})",
       "containers[].restartPolicy",
       "write Never or leave it out: a lost node restarts all nodes, which the operator does"}};
  for (const auto& [source, where, sentence] : cases) {
    EXPECT_EQ(mistake(of_template(source)), pod + where + ": " + sentence) << source;
  }
  for (const char* source :
       {R"({"hostname": "", "volumes": [{"name": "lockstep"}]})",
        R"({"initContainers": [{"name": "my-lockstep-x", "restartPolicy": "Always"}]})",
        R"({"containers": [{"name": "trainer", "restartPolicy": "Never"}]})",
        R"({"containers": [{"name": "log", "restartPolicy": "Always"}]})"}) {
    EXPECT_EQ(mistake(of_template(source)), "") << source;
  }
}

TEST(Rules, CountDevicesInPlainWholeNumbers) {
  for (const char* amount : {R"("8Gi")", R"("1500m")", R"("1e3")", R"("0.5")", "0.5", "-1", R"("")",
                             R"("+8")", R"("8 ")"}) {
    const std::string limits = std::string(R"({"limits": {"nvidia.com/gpu": )") + amount + "}}";
    EXPECT_EQ(mistake(R"({"resourcesPerNode": )" + limits + "}"),
              std::string("spec.resourcesPerNode.limits: ") + kDevices)
        << amount;
    EXPECT_EQ(mistake(R"({"nodeGroups": [{"name": "a", "resourcesPerNode": )" + limits + "}]}"),
              std::string("spec.nodeGroups[].resourcesPerNode.limits: ") + kDevices);
    EXPECT_EQ(mistake(of_template(R"({"containers": [{"name": "trainer", "resources": )" + limits +
                                  "}]}")),
              std::string("spec.template.spec.containers[].resources.limits: ") + kDevices);
  }
  for (const char* amount : {"8", R"("8")", "0", R"("12345678901234567890")"}) {
    EXPECT_EQ(mistake(std::string(R"({"resourcesPerNode": {"limits": {"cpu": "1500m",
                                      "nvidia.com/gpu": )") +
                      amount + "}}}"),
              "");
  }
}

TEST(Rules, RequestDevicesAsTheyAreLimited) {
  const auto mistake_in = [](const char* resources) {
    return mistake(std::string(R"({"resourcesPerNode": )") + resources + "}");
  };
  for (const char* resources :
       {R"({"requests": {"nvidia.com/gpu": 8}})",
        R"({"requests": {"nvidia.com/gpu": 4}, "limits": {"nvidia.com/gpu": 8}})"}) {
    EXPECT_EQ(mistake_in(resources),
              "spec.resourcesPerNode: write the same number of each device in requests and in "
              "limits, or leave it out of requests");
  }
  EXPECT_EQ(mistake_in(R"({"requests": {"nvidia.com/gpu": "8", "cpu": 1},
                           "limits": {"nvidia.com/gpu": 8}})"),
            "");
}

TEST(Rules, LayAnInjectedLauncherBeforeACommand) {
  const char kCommand[] =
      "spec.command: under launcher Inject write the whole command, since the image's own entry "
      "point is not known";
  EXPECT_EQ(mistake(R"({"launcher": "Inject"})"), kCommand);
  EXPECT_EQ(mistake(R"({"launcher": "Inject", "args": ["a"], "command": []})"), kCommand);
  EXPECT_EQ(mistake(R"({"launcher": "Inject", "template": {"spec": {"containers": [
                        {"name": "log", "command": ["a"]}, {"name": "trainer"}]}}})"),
            kCommand);
  EXPECT_EQ(mistake(R"({"launcher": "Inject", "template": {"spec": {"containers": [
                        {"name": "trainer", "command": ["a"]}]}}})"),
            "");
  EXPECT_EQ(mistake(R"({"launcher": "FromImage"})"), "");
}

TEST(Rules, KeepTheFolderOfAnInjectedLauncher) {
  const auto mount = [](const std::string& kind, const std::string& path) -> std::string {
    if (kind == "mounts") return R"("mounts": [{"claimName": "a", "path": ")" + path + R"("}])";
    if (kind == "checkpoints") {
      return R"("checkpoints": {"claimName": "a", "path": ")" + path + R"("})";
    }
    return R"("template": {"spec": {"containers": [{"name": ")" + kind +
           R"(", "volumeMounts": [{"name": "a", "mountPath": ")" + path + R"("}]}]}})";
  };
  const std::string inject = R"({"launcher": "Inject", "command": ["a"], )";
  const std::string taken = std::string("spec.launcher: ") + kFolderOfTheLauncher;
  for (const char* kind : {"mounts", "checkpoints", "trainer"}) {
    for (const char* path : {"/lockstep", "/lockstep/a"}) {
      EXPECT_EQ(mistake(inject + mount(kind, path) + "}"), taken) << kind << path;
      EXPECT_EQ(mistake("{" + mount(kind, path) + "}"), "") << kind << path;
    }
    EXPECT_EQ(mistake(inject + mount(kind, "/lockstep-data") + "}"), "") << kind;
    EXPECT_EQ(mistake(inject + mount(kind, "/data/lockstep") + "}"), "") << kind;
  }
  EXPECT_EQ(mistake(inject + mount("trainer", "/lockstep/") + "}"), taken);
  EXPECT_EQ(mistake(inject + mount("log", "/lockstep") + "}"), "") << "only the trainer has it";
}

TEST(Rules, BoundTheGroupsOfAQueuedJob) {
  const auto mistake_of = [](int groups, const char* label) {
    json list = json::array();
    for (int i = 0; i < groups; ++i) list.push_back({{"name", "g" + std::to_string(i)}});
    const json meta = {{"name", "a"}, {"uid", "u"}, {"labels", {{label, "vision"}}}};
    return parse_training_job({{"metadata", meta}, {"spec", {{"nodeGroups", list}}}})
        .value()
        .faults.summary();
  };
  EXPECT_EQ(mistake_of(8, "kueue.x-k8s.io/queue-name"), "");
  EXPECT_EQ(mistake_of(9, "team"), "");
  EXPECT_EQ(mistake_of(9, "kueue.x-k8s.io/queue-name"),
            "spec.nodeGroups: Kueue takes at most 8 groups of a job, so write fewer or remove the "
            "label kueue.x-k8s.io/queue-name");
}

TEST(Rules, KeepTheVariablesOfTheOperator) {
  for (const char* name :
       {"MASTER_ADDR", "MASTER_PORT", "NNODES", "NODE_RANK", "NPROC_PER_NODE", "LOCAL_WORLD_SIZE",
        "WORLD_SIZE", "RANK", "LOCAL_RANK", "PET_NNODES", "PET_NPROC_PER_NODE", "PET_NODE_RANK",
        "PET_MASTER_ADDR", "PET_MASTER_PORT", "LOCKSTEP_", "LOCKSTEP_MINE",
        "LOCKSTEP_TERMINATION_LOG", "LOCKSTEP_HANG_TIMEOUTS"}) {
    const std::string env = std::string(R"("env": [{"name": ")") + name + R"("}])";
    const std::string sentence =
        std::string(name) + " is set by the operator on every node, so remove it from env";
    EXPECT_EQ(mistake("{" + env + "}"), "spec.env: " + sentence);
    EXPECT_EQ(mistake(R"({"nodeGroups": [{"name": "a", )" + env + "}]}"),
              "spec.nodeGroups[].env: " + sentence);
  }
}

TEST(Rules, TakeWhatIsRight) {
  for (
      const char* spec :
      {R"({})", R"({"image": "registry:5000/a/b@sha256:0"})",
       R"({"env": [{"name": "A", "value": "x=1 "}, {"name": "B", "valueFrom": {}}]})",
       R"({"env": [{"name": "CHECKPOINT_DIR"}, {"name": "RANKS"}, {"name": "lockstep_x"}]})",
       R"({"env": [{"name": "LOCKSTEP_HANG_TIMEOUT", "value": "600"}]})",
       R"({"mounts": [{"claimName": "data.2", "path": "/d"}, {"claimName": "1", "path": "/checkpoints"}]})",
       R"({"checkpoints": {"claimName": "c", "subPath": "a/..b/c.."}})",
       R"({"checkpoints": {"claimName": "c", "path": "/c"}, "mounts": [{"claimName": "d", "path": "/checkpoints"}]})",
       R"({"masterPort": 9791})", R"({"template": {"spec": {"restartPolicy": "Never"}}})"}) {
    EXPECT_EQ(mistake(spec), "") << spec;
  }
}

TEST(Rules, AnswerForAnyLength) {
  const std::string much(1'000'000, 'a');
  EXPECT_THAT(mistake("{}", much), EndsWith(kNameLength));
  EXPECT_EQ(mistake(R"({"mounts": [{"claimName": ")" + much + R"(", "path": "/d"}]})"), "");
  EXPECT_THAT(mistake(R"({"checkpoints": {"claimName": "c", "subPath": "/)" + much + R"("}})"),
              StartsWith("spec.checkpoints.subPath"));
}

}  // namespace
}  // namespace lockstep
