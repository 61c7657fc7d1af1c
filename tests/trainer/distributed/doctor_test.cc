// `lockstep-train doctor` from outside, in set-ups that are broken in one way each.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/trainer/distributed/training.h"
#include "trainer/contract.h"

namespace lockstep::testing {
namespace {

class Doctor : public Training {
 protected:
  std::vector<std::string> doctor(const Settings& more = {}) const {
    std::vector<std::string> words = command("checkpoints", more);
    words[1] = "doctor";
    return words;
  }

  Exit examined(const Settings& more = {}, const Variables& variables = {}) const {
    return run_ranks(doctor(more), 1, variables).front();
  }

  // In a shell, which can change what `doctor` inherits.
  Exit examined_after(const std::string& preparation, const Settings& more = {}) const {
    std::vector<std::string> words{"/bin/bash", "-c", preparation + "; exec \"$@\"", "bash"};
    for (const std::string& word : doctor(more)) words.push_back(word);
    return run_ranks(words, 1).front();
  }
};

TEST_F(Doctor, FindsNothingBadInAHealthyPlaceAndLeavesNoTrace) {
  const Exit exit = examined();
  EXPECT_EQ(exit.code, 0) << exit.output;
  for (const char* part :
       {"ok       device", "ok       open files", "ok       data.train", "960 samples",
        "ok       model", "no checkpoint: training starts at step 0", "nothing is bad"}) {
    EXPECT_TRUE(exit.says(part)) << part << "\n" << exit.output;
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(Doctor, PrintsOneJsonObjectWhenAsked) {
  std::vector<std::string> words = doctor();
  words.push_back("--json");
  const auto document = nlohmann::json::parse(run_ranks(words, 1).front().output);
  EXPECT_EQ(document["exit_code"], 0);
  EXPECT_GT(document["findings"].size(), 10U);
}

TEST_F(Doctor, SaysWhatIsBadAndEndsAsATrainingWould) {
  struct Case {
    Settings settings;
    Variables variables;
    int exit_code;
    const char* sentence;
  };
  const Variables two{{"WORLD_SIZE", "2"}, {"LOCAL_WORLD_SIZE", "2"}};
  Variables second = two;
  second["RANK"] = "1";
  second["MASTER_ADDR"] = "no-such-host.invalid";
  for (const Case& each :
       {Case{{"data.train.format=idx", "data.val.format=idx", "data.train.path=/no/such"},
             {},
             contract::kExitBadData,
             "/no/such"},
        Case{{"train.batch_size=25"}, two, contract::kExitUsage, "train.batch_size"},
        Case{{"model.name=lenot"}, {}, contract::kExitUsage, "lenet"},
        Case{{"model.weights=/no/such.safetensors"}, {}, contract::kExitBadData, "no/such"},
        Case{{"train.backend=nccl"}, {}, contract::kExitUsage, "train.backend"},
        Case{{"checkpoint.directory=/proc/checkpoints"},
             {},
             contract::kExitStorage,
             "cannot make /proc/"},
        Case{{}, {{"RANK", "seven"}}, contract::kExitUsage, "RANK is \"seven\""},
        Case{{}, second, contract::kExitPeerLost, "no-such-host.invalid does not resolve"}}) {
    const Exit exit = examined(each.settings, each.variables);
    EXPECT_EQ(exit.code, each.exit_code) << exit.output;
    EXPECT_TRUE(exit.says("BAD")) << exit.output;
    EXPECT_TRUE(exit.says(each.sentence)) << each.sentence << "\n" << exit.output;
  }
}

TEST_F(Doctor, SeesALowLimitOnOpenFiles) {
  const Exit low = examined_after("ulimit -S -n 64");
  EXPECT_EQ(low.code, 0) << low.output;
  EXPECT_TRUE(low.says("a run raises its limit of 64")) << low.output;
  const Exit lower = examined_after("ulimit -n 64");
  EXPECT_EQ(lower.code, contract::kExitUsage) << lower.output;
  EXPECT_TRUE(lower.says("64 allowed")) << lower.output;
}

TEST_F(Doctor, WarnsOfMoreThreadsThanCpus) {
  const Exit exit =
      examined_after("export OMP_NUM_THREADS=$(nproc --all) WORLD_SIZE=2 LOCAL_WORLD_SIZE=2");
  EXPECT_EQ(exit.code, 0) << exit.output;
  EXPECT_TRUE(exit.says("warning  threads")) << exit.output;
}

TEST_F(Doctor, IsAnInitStepThatStandsForTheFirstRankOfItsNode) {
  const Exit exit = examined_after(
      "unset RANK LOCAL_RANK; export WORLD_SIZE=4 LOCAL_WORLD_SIZE=2 LOCKSTEP_RANK_OFFSET=2");
  EXPECT_TRUE(exit.says("this is rank 2 of 4")) << exit.output;
  EXPECT_TRUE(exit.says("ranks wait 300 s")) << exit.output;
  EXPECT_EQ(exit.code, 0) << exit.output;
}

TEST_F(Doctor, IsOneRankWithoutAnyVariable) {
  const Exit exit =
      examined_after("unset RANK WORLD_SIZE LOCAL_RANK LOCAL_WORLD_SIZE MASTER_ADDR MASTER_PORT");
  EXPECT_TRUE(exit.says("this is rank 0 of 1")) << exit.output;
  EXPECT_EQ(exit.code, 0) << exit.output;
}

TEST_F(Doctor, TellsWhetherTheNewestCheckpointWouldBeResumed) {
  finish("checkpoints", 1);
  const Settings longer{"train.epochs=3"};
  const Exit exit = examined(longer);
  EXPECT_EQ(exit.code, 0) << exit.output;
  EXPECT_TRUE(exit.says("step 80 of 120 is whole and would be resumed")) << exit.output;

  const Exit other = examined({"train.epochs=3", "optim.momentum=0.5"});
  EXPECT_EQ(other.code, contract::kExitUsage) << other.output;
  EXPECT_TRUE(other.says("another optim.momentum")) << other.output;

  set_content(model_of("checkpoints"), "damaged");
  const Exit damaged = examined(longer);
  EXPECT_EQ(damaged.code, 0) << damaged.output;
  EXPECT_TRUE(damaged.says("step-80 is damaged")) << damaged.output;
  EXPECT_TRUE(damaged.says("step 78 of 120 is whole")) << damaged.output;
}

TEST_F(Doctor, KnowsThatALaterAttemptOwnsTheCheckpoints) {
  Variables attempt{{"LOCKSTEP_JOB_UID", "u"}, {"LOCKSTEP_ATTEMPT", "3"}};
  run_ranks(command("checkpoints"), 1, attempt);
  attempt["LOCKSTEP_ATTEMPT"] = "2";
  const Exit exit = examined({"train.epochs=3"}, attempt);
  EXPECT_EQ(exit.code, contract::kExitStorage) << exit.output;
  EXPECT_TRUE(exit.says("attempt 3 of job u")) << exit.output;
}

TEST_F(Training, RaisesItsLimitOnOpenFiles) {
  const std::filesystem::path pid = folder_ / "pid";
  std::vector<std::string> words{"/bin/bash", "-c",
                                 "ulimit -S -n 64; echo $$ > \"$0\"; exec \"$@\"", pid};
  for (const std::string& word : command("checkpoints")) words.push_back(word);
  Ranks rank(words, 1);
  ASSERT_TRUE(rank.has_said(0, "step 5/80"));
  const std::string number = first_match(content_of(pid), "([0-9]+)");
  const std::string limits = content_of("/proc/" + number + "/limits");
  const std::string soft = first_match(limits, "Max open files +([0-9]+)");
  EXPECT_EQ(soft, first_match(limits, "Max open files +[0-9]+ +([0-9]+)"));
  EXPECT_NE(soft, "64");
}

}  // namespace
}  // namespace lockstep::testing
