// The document `lockstep-train plan` prints, and what it refuses.
#include "trainer/plan_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/temporary_directory.h"
#include "trainer/errors.h"
#include "trainer/plan_command.h"

namespace lockstep {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// What the command line, split at spaces, prints.
std::string print(const std::string& line) {
  CLI::App app;
  PlanFlags flags;
  add_plan_command(app, flags);
  app.parse("plan " + line, /*program_name_included=*/false);
  return plan_document(flags);
}

json parsed(const std::string& line) { return json::parse(print(line)); }

// The golden vector of Python's sampler: rank 1 of 4 over 11 samples, seed 3, epoch 2.
TEST(PlanCommand, PrintsWhatPythonsSamplerGivesEachRank) {
  EXPECT_EQ(print("--n 11 --world 4 --rank 1 --seed 3 --epoch 2 --batch-size 8"),
            R"({
  "sampler": "distributed",
  "settings": {"seed":3,"shuffle":true,"tail":"pad"},
  "batch_size": 8,
  "batch_size_per_rank": 2,
  "accumulate": 1,
  "steps": 2,
  "batches": 2,
  "samples": 11,
  "world_size": 4,
  "epoch": 2,
  "counts": {"drawn":12,"repeated":1,"missing":0},
  "ranks": [
    {"rank": 1, "batches": [
      {"step":0,"batch":0,"indices":[5,2]},
      {"step":1,"batch":1,"indices":[1]}
    ]}
  ]
}
)");
}

TEST(PlanCommand, TellsWhoSeesASample) {
  const json all = parsed("--n 50 --world 3 --accumulate 2 --batch-size 12");
  const json one = parsed("--n 50 --world 3 --accumulate 2 --batch-size 12 --sample 17");
  ASSERT_EQ(one["seen"].size(), 1u);
  const json& seen = one["seen"][0];
  const json& batch = all["ranks"][seen["rank"].get<int>()]["batches"][seen["batch"].get<int>()];
  EXPECT_EQ(batch["indices"][seen["place"].get<int>()], 17);
  EXPECT_EQ(batch["step"], seen["step"]);
  EXPECT_EQ(seen["step"], seen["batch"].get<int>() / 2);
  EXPECT_FALSE(one.contains("ranks"));
}

TEST(PlanCommand, ShowsBucketsAndPadding) {
  testing::TemporaryDirectory directory;
  testing::set_content(directory / "lengths", "3 5\n12 30 4\n5 11 30 2");
  const json plan =
      parsed("--sampler length_bucket --world 2 --lengths " + (directory / "lengths").string() +
             " --set data.sampler.up_to=[5] --set data.sampler.batch=[2,1]");
  EXPECT_EQ(plan["settings"]["up_to"], json({5}));
  EXPECT_EQ(plan["samples"], 9);
  EXPECT_EQ(plan["batches"], 4) << "5 of 4 + 4 short ones, 4 long ones by two";
  EXPECT_EQ(plan["counts"], json::parse(R"({"drawn": 12, "repeated": 3, "missing": 0})"));
  for (const auto& rank : plan["ranks"]) {
    for (const auto& batch : rank["batches"]) {
      EXPECT_EQ(batch["indices"].size(), batch["bucket"] == 0 ? 2u : 1u);
    }
  }
  const double values = plan["padding"]["values"], padded = plan["padding"]["padded"];
  EXPECT_NEAR(plan["padding"]["waste"], 1 - values / padded, 1e-4);
}

TEST(PlanCommand, ShowsScalesOfMultigrid) {
  const json plan = parsed("--sampler multigrid --n 14 --batch-size 2");
  EXPECT_EQ(plan["ranks"][0]["batches"][0]["space_scale"], 0.5);
  EXPECT_EQ(plan["ranks"][0]["batches"][0]["indices"].size(), 8u);
  EXPECT_EQ(plan["ranks"][0]["batches"][0]["time_scale"], 1);
}

TEST(PlanCommand, ShowsTheBatchesOfEvaluation) {
  const json plan = parsed("--sampler exact_eval --n 7 --world 2 --batch-size 3");
  EXPECT_EQ(plan["batches"], 3);
  EXPECT_EQ(plan["ranks"][0]["batches"],
            json::parse(R"([{"batch": 0, "indices": [0, 1, 2]}, {"batch": 2, "indices": [6]}])"));
  EXPECT_EQ(plan["ranks"][1]["batches"], json::parse(R"([{"batch": 1, "indices": [3, 4, 5]}])"));
}

TEST(PlanCommand, LeavesOutAStepThatIsDropped) {
  const json plan = parsed("--n 22 --accumulate 3 --batch-size 6 --set data.tail=drop");
  EXPECT_EQ(plan["steps"], 3);
  EXPECT_EQ(plan["batches"], 9) << "of the sampler's 11";
  EXPECT_EQ(plan["counts"]["missing"], 4);
}

TEST(PlanCommand, DividesAnUnsaidBatchOverAnyNumberOfRanks) {
  EXPECT_EQ(parsed("--n 11 --world 3")["batch_size"], 96);
  EXPECT_EQ(parsed("--n 11 --world 3 --accumulate 5")["batch_size_per_rank"], 32);
}

TEST(PlanCommand, RefusesInOneSentence) {
  testing::TemporaryDirectory directory;
  const std::string file = (directory / "numbers").string();
  testing::set_content(file, "1 2 -3");
  const struct {
    std::string line, message;
  } cases[] = {
      {"",
       "the number of samples is not told: write --n or a file of --lengths, --classes or "
       "--weights"},
      {"--n 4 --world 2 --rank 2", "there is no rank 2: write one from 0 to 1"},
      {"--n 4 --epoch -1", "there is no epoch -1: write one from 0 to 999999"},
      {"--n 4 --sample 4", "there is no sample 4: write one from 0 to 3"},
      {"--n 10000000",
       "would print 10000000 indices, more than 1000000: name one --rank or one "
       "--sample"},
      {"--n 4 --sampler random",
       "--set data.sampler.name=random: data.sampler.name must be distributed or"},
      {"--n 4 --sampler length_bucket", "needs lengths of the samples"},
      {"--n 4 --world 60000 --sampler length_bucket --set data.sampler.batch=[5000]",
       "data.sampler.batch makes 5000 samples per rank"},
      {"--n 9 --world 3 --batch-size 4", "train.batch_size 4 does not divide evenly over 3 ranks"},
  };
  for (const auto& [line, message] : cases) {
    EXPECT_THAT([&] { print(line); }, ThrowsMessage<std::invalid_argument>(HasSubstr(message)));
  }
  EXPECT_THAT([&] { print("--lengths " + file); },
              ThrowsMessage<BadData>(file + ": number 3 is \"-3\": must be a whole number from 0 "
                                            "to 2147483647"));
  EXPECT_THAT([&] { print("--lengths " + file + "0"); },
              ThrowsMessage<BadData>(HasSubstr("cannot open it: No such file")));
  testing::set_content(file, "1 2");
  EXPECT_THAT([&] { print("--n 3 --classes " + file); },
              ThrowsMessage<std::invalid_argument>(
                  "--n, --lengths, --classes and --weights disagree: 2 and 3 samples"));
}

}  // namespace
}  // namespace lockstep
