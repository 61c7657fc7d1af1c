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
      .invalid;
}

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

TEST(Rules, KeepTheVariablesOfTheOperator) {
  for (const char* name :
       {"MASTER_ADDR", "MASTER_PORT", "NNODES", "NODE_RANK", "NPROC_PER_NODE", "LOCAL_WORLD_SIZE",
        "WORLD_SIZE", "RANK", "LOCAL_RANK", "PET_NNODES", "PET_NPROC_PER_NODE", "PET_NODE_RANK",
        "PET_MASTER_ADDR", "PET_MASTER_PORT", "LOCKSTEP_", "LOCKSTEP_MINE"}) {
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
