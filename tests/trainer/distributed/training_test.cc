// Whole runs of lockstep-train by several processes: equality over world sizes, kills and stops.
#include "tests/trainer/distributed/training.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "tests/trainer/distributed/ranks.h"

namespace lockstep::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class TrainingOn : public Training, public ::testing::WithParamInterface<int> {};
INSTANTIATE_TEST_SUITE_P(Ranks, TrainingOn, ::testing::Values(2, 3, 4),
                         [](const auto& info) { return std::to_string(info.param); });

// The same global batches cut over ranks: only the order of sums differs, so a few units in the
// last place of weights near 1 may, after 80 steps.
TEST_P(TrainingOn, EqualsOneProcessOnTheSameGlobalBatch) {
  constexpr double kTolerance = 1e-5;
  const Settings settings{"model.name=mlp", "schedule.name=constant"};
  finish("alone", 1, settings);
  finish("together", GetParam(), settings);
  const double difference = largest_difference(model_of("alone"), model_of("together"));
  std::printf("%d ranks against one process: largest difference %.2g (allowed %.0e)\n", GetParam(),
              difference, kTolerance);
  EXPECT_LE(difference, kTolerance);
  EXPECT_GT(largest_difference(model_of("alone"), model_of("alone", 72)), 10 * kTolerance)
      << "training must move weights far more than the tolerance";
}

// 1000 samples: the last step of an epoch has 16, which neither 3 ranks divide nor 4 accumulate.
TEST_P(TrainingOn, JoinsTheTailAsOneProcessDoes) {
  const Settings settings{"model.name=mlp", "schedule.name=constant", "data.train.samples=1000",
                          "data.tail=join"};
  Settings in_turn = settings;
  in_turn.push_back("train.accumulate=2");
  finish("alone", 1, settings);
  finish("together", GetParam(), in_turn);
  EXPECT_LE(largest_difference(model_of("alone", 84), model_of("together", 84)), 1e-5);
}

class Interrupted : public Training, public ::testing::WithParamInterface<int> {};
INSTANTIATE_TEST_SUITE_P(Ranks, Interrupted, ::testing::Values(1, 2, 3, 4),
                         [](const auto& info) { return std::to_string(info.param); });

TEST_P(Interrupted, ResumesAfterAKillToTheSameBytes) {
  const int size = GetParam();
  finish("undisturbed", size);
  {
    Ranks ranks(command("killed"), size);
    ASSERT_TRUE(ranks.has_said(0, "step 15/80"));
    const auto victim = static_cast<std::size_t>(size - 1);
    ranks.send(victim, SIGKILL);
    const auto exits = ranks.wait();
    EXPECT_EQ(exits[victim].signal, SIGKILL);
    for (std::size_t rank = 0; rank < victim; ++rank)
      EXPECT_EQ(exits[rank].code, 75) << exits[rank].output;
  }
  ASSERT_FALSE(fs::exists(model_of("killed"))) << "the kill came too late";
  const auto exits = run_ranks(command("killed"), size);
  for (const Exit& exit : exits) ASSERT_EQ(exit.code, 0) << exit.output;
  const std::string resumed =
      first_match(exits[0].output, "(resumed from step [0-9]+ \\(epoch [0-9]\\))");
  std::printf("%d ranks: %s, %zu bytes equal\n", size, resumed.c_str(), bytes_of("killed").size());
  EXPECT_NE(resumed, "");
  EXPECT_TRUE(bytes_of("killed") == bytes_of("undisturbed"));
  EXPECT_GT(bytes_of("killed").size(), 200000u);
}

TEST_P(Interrupted, StopsAtACommonStepAndResumesToTheSameBytes) {
  const int size = GetParam();
  finish("undisturbed", size);
  {
    Ranks ranks(command("stopped", {"checkpoint.every_steps=0"}), size);
    ASSERT_TRUE(ranks.has_said(0, "step 10/80"));
    ranks.send(static_cast<std::size_t>(size - 1), SIGTERM);  // one rank is enough
    for (const Exit& exit : ranks.wait()) EXPECT_EQ(exit.code, 80) << exit.output;
  }
  ASSERT_FALSE(fs::exists(model_of("stopped"))) << "the stop came too late";
  const auto exits = run_ranks(command("stopped"), size);
  EXPECT_EQ(exits[0].code, 0) << exits[0].output;
  EXPECT_NE(first_match(exits[0].output, "(resumed from step [0-9]+)"), "");
  EXPECT_TRUE(bytes_of("stopped") == bytes_of("undisturbed"));
}

// From the middle of an epoch: a sample that is seen twice, or not at all, would show.
TEST_F(Training, GoesOnWithAnotherNumberOfRanks) {
  const Settings settings{"model.name=mlp", "schedule.name=constant"};
  Settings first_part = settings;
  first_part.push_back("train.max_steps=30");
  finish("alone", 1, settings);
  finish("moved", 2, first_part);
  const auto exits = run_ranks(command("moved", settings), 3);
  EXPECT_EQ(exits[0].code, 0) << exits[0].output;
  EXPECT_THAT(exits[0].output, HasSubstr("resumed from step 30 (epoch 1)"));
  EXPECT_LE(largest_difference(model_of("alone"), model_of("moved")), 1e-5);
}

TEST_F(Training, GivesTheSameFiguresForTheSameWeightsAtAnyWorldSize) {
  finish("done", 2);
  std::vector<std::string> figures;
  for (const int size : {1, 2, 3, 4}) {
    const Exit exit = run_ranks(command("done"), size).front();
    figures.push_back(first_match(exit.output, "(val loss .*)"));
    EXPECT_THAT(exit.output, ::testing::EndsWith(
                                 "accuracy " + first_match(exit.output, "\naccuracy (.*)") + "\n"));
  }
  EXPECT_NE(figures[0], "");
  EXPECT_THAT(figures, ::testing::Each(figures[0]));
}

// A rate that falls with the validation loss: the evaluation at the end of an epoch belongs to what
// a kill right after it must not lose.
TEST_F(Training, RepeatsAPlateauAfterAKill) {
  const Settings plateau{"schedule.name=plateau", "schedule.patience=0", "schedule.threshold=0.5",
                         "train.epochs=4", "checkpoint.every_steps=40"};
  finish("undisturbed", 2, plateau);
  for (const int last : {40, 80, 120}) {  // the end of an epoch each
    Settings part = plateau;
    part.push_back("train.max_steps=" + std::to_string(last));
    finish("in parts", 2, part);
  }
  finish("in parts", 2, plateau);
  EXPECT_TRUE(content_of(model_of("in parts", 160)) == content_of(model_of("undisturbed", 160)));
}

TEST_F(Training, FallsBackFromADamagedCheckpointAndSaysSo) {
  finish("done", 2, {"train.max_steps=12"});
  fs::resize_file(model_of("done", 12), 1000);
  const auto exits = run_ranks(command("done"), 2);
  EXPECT_EQ(exits[0].code, 0) << exits[0].output;
  EXPECT_THAT(exits[0].output, HasSubstr("step-12 is damaged ("));
  EXPECT_THAT(exits[0].output, HasSubstr("resumed from step 6 (epoch 1)"));
}

TEST_F(Training, SpeaksThroughRankZeroAndWithoutWarnings) {
  const auto exits = run_ranks(command("done"), 3);
  EXPECT_EQ(exits[1].output, "");
  EXPECT_EQ(exits[2].output, "");
  std::printf("3 ranks, lenet: %s\n",
              first_match(exits[0].output, "step 80/80.* ([0-9.]+k? samples/s)").c_str());
  EXPECT_THAT(exits[0].output,
              ::testing::Not(::testing::AnyOf(HasSubstr("[W"), HasSubstr("arning"))));
  EXPECT_TRUE(std::regex_search(
      exits[0].output, std::regex("epoch 1/2 step 5/80 loss [0-9.]+ lr [0-9.e-]+ [0-9.]+k? "
                                  "samples/s eta 0m[0-9]+s memory [0-9]+ MiB\n")))
      << exits[0].output;
  EXPECT_TRUE(std::regex_search(
      exits[0].output, std::regex("epoch 2/2 val loss [0-9.]+ accuracy [01]\\.[0-9]{4}\n")))
      << exits[0].output;
}

// Ranks say goodbye to each other, so that none waits for one that is gone.
TEST_F(Training, EndsWithinSecondsOfItsLastWord) {
  Ranks ranks(command("x", {"train.max_steps=6"}), 3);
  ASSERT_TRUE(ranks.has_said(0, "\naccuracy "));
  const auto said = std::chrono::steady_clock::now();
  for (const Exit& exit : ranks.wait()) EXPECT_EQ(exit.code, 0) << exit.output;
  EXPECT_LT(std::chrono::steady_clock::now() - said, std::chrono::seconds(5));
}

// Both ranks exit with `code` and say `sentence`.
void expect_refusal(const std::vector<Exit>& exits, int code, const std::string& sentence) {
  for (const Exit& exit : exits) {
    EXPECT_EQ(exit.code, code) << exit.output;
    EXPECT_THAT(exit.output, HasSubstr(sentence));
  }
}

TEST_F(Training, NamesTheSettingInWhichRanksDiffer) {
  Ranks ranks({}, 0);
  ranks.start(command("x", {"optim.lr=0.1"}), {{"RANK", "0"}, {"WORLD_SIZE", "2"}});
  ranks.start(command("x", {"optim.lr=0.2"}), {{"RANK", "1"}, {"WORLD_SIZE", "2"}});
  expect_refusal(ranks.wait(), 64,
                 "rank 1 differs from rank 0 in the configuration: it has \"lr: 0.2\"");
}

TEST_F(Training, RefusesDifferentDataOnRanks) {
  Ranks ranks({}, 0);
  for (const std::string rank : {"0", "1"}) {
    const std::string data = folder_ / rank;
    fs::create_directory(data);
    std::ofstream(data + "/train-images-idx3-ubyte", std::ios::binary)
        << std::string("\0\0\x08\x03\0\0\0\x01\0\0\0\x01\0\0\0\x01", 16) << rank;
    std::ofstream(data + "/train-labels-idx1-ubyte", std::ios::binary)
        << std::string("\0\0\x08\x01\0\0\0\x01\x02", 9);
    ranks.start(command("x", {"data.train.format=idx", "data.train.path=" + data,
                              "data.val.format=idx", "data.val.images=train-images-idx3-ubyte",
                              "data.val.labels=train-labels-idx1-ubyte"}),
                {{"RANK", rank}, {"WORLD_SIZE", "2"}});
  }
  expect_refusal(ranks.wait(), 65, "rank 1 differs from rank 0 in the data");
}

TEST_F(Training, SaysWhatIsWrongWithItsSettings) {
  struct Case {
    int ranks;
    std::string setting;
    int code;
    std::string sentence;
  };
  for (const Case& bad :
       {Case{1, "train.backend=nccl", 64, "train.backend is nccl but this"},
        Case{1, "optim.learning=1", 64, "optim.learning"},
        Case{2, "train.batch_size=25", 64, "does not divide evenly over 2 ranks: write 24 or 26"},
        Case{2, "model.name=lennet", 64, "did you mean lenet?"}}) {
    expect_refusal(run_ranks(command("x", {bad.setting}), bad.ranks), bad.code, bad.sentence);
  }
}

TEST_F(Training, SaysWhoseFlagIsWrong) {
  const Exit exit = run_ranks({LOCKSTEP_TRAIN, "run", "--sett", "seed=1"}, 1).front();
  EXPECT_EQ(exit.code, 64);
  EXPECT_TRUE(exit.output.starts_with("lockstep-train: ")) << exit.output;
  EXPECT_THAT(exit.output, HasSubstr("--sett"));
  EXPECT_THAT(exit.output, HasSubstr("; see lockstep-train --help\n"));
}

TEST_F(Training, StopsForGoodWhenTheLossIsNoNumber) {
  expect_refusal(run_ranks(command("x", {"model.name=mlp", "optim.lr=1000"}), 2), 71,
                 "the loss is not finite at step");
  EXPECT_FALSE(fs::exists(model_of("x")));
}

// The weights soon give no gradient any more: the run ends so many steps later, wherever it
// stopped.
TEST_F(Training, CountsStepsWithoutNumberThroughAResume) {
  const Settings settings{"model.name=mlp", "optim.lr=1000", "optim.skip_non_finite=20",
                          "schedule.name=constant"};
  const auto last_words = [&](const std::string& checkpoints) {
    const Exit exit = run_ranks(command(checkpoints, settings), 1).front();
    EXPECT_EQ(exit.code, 71) << exit.output;
    return first_match(exit.output, "(not finite at step [0-9]+, nor at the 20 before)");
  };
  const std::string undisturbed = last_words("undisturbed");
  Settings first_part = settings;
  first_part.push_back("train.max_steps=24");
  finish("in parts", 1, first_part);
  EXPECT_EQ(last_words("in parts"), undisturbed);
  EXPECT_LT(std::stoi(first_match(undisturbed, "step ([0-9]+)")), 24 + 20) << "too late to tell";
}

TEST_F(Training, RefusesACheckpointOfOtherSettings) {
  finish("done", 1, {"train.max_steps=6"});
  expect_refusal(run_ranks(command("done", {"optim.momentum=0.5"}), 1), 64,
                 "was written with another optim.momentum");
}

TEST_F(Training, EndsAtOnceWhenStoppedBeforeItBegan) {
  Ranks ranks({}, 0);
  const auto waiting = ranks.start(
      command("x"), {{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"LOCKSTEP_STARTUP_SECONDS", "50"}});
  ASSERT_TRUE(ranks.has_said(waiting, "rank 1 has not arrived yet"));
  ranks.send(waiting, SIGTERM);
  EXPECT_EQ(ranks.wait()[waiting].code, 80);
}

}  // namespace
}  // namespace lockstep::testing
