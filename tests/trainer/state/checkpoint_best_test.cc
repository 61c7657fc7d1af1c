// Which checkpoints stay beside the newest: the best one, and every so many steps one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/temporary_directory.h"
#include "tests/trainer/state/small_checkpoint.h"
#include "trainer/errors.h"
#include "trainer/state/checkpoint_directory.h"
#include "trainer/state/checkpoint_layout.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using testing::content_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::publish;
using testing::TemporaryDirectory;
using ::testing::ThrowsMessage;

const Retention kBestByAccuracy{.newest = 1, .every = 0, .best = "accuracy"};

void publish_and_judge(CheckpointWriter& writer, std::int64_t step, double value) {
  publish(writer, step);
  writer.judge(step, value);
}

TEST(CheckpointRetention, KeepsTheBestBesideTheNewest) {
  TemporaryDirectory directory;
  CheckpointWriter writer(directory.path(), {"job", 1}, kBestByAccuracy);
  const struct {
    double accuracy;
    std::vector<std::int64_t> kept;
  } cases[] = {{0.5, {10}},
               {0.8, {20}},
               {0.7, {30, 20}},
               {0.8, {40, 20}},
               {std::nan(""), {50, 20}},
               {INFINITY, {60, 20}},
               {0.81, {70}},
               {0.1, {80, 70}}};
  std::int64_t step = 0;
  for (const auto& [accuracy, kept] : cases) {
    publish_and_judge(writer, step += 10, accuracy);
    EXPECT_EQ(steps_in(directory.path()), kept);
  }
  EXPECT_EQ(content_of(directory / "BEST"), "step-70\naccuracy 0.81\n");
  EXPECT_EQ(find_best_checkpoint(directory.path()), (BestCheckpoint{70, "accuracy", 0.81}));
}

TEST(CheckpointRetention, TakesTheLowestLossForTheBest) {
  TemporaryDirectory directory;
  CheckpointWriter writer(directory.path(), {"job", 1}, {.newest = 1, .best = "loss"});
  for (const auto& [step, loss] : {std::pair{10, 0.5}, {20, 0.25}, {30, 0.3}}) {
    publish_and_judge(writer, step, loss);
  }
  EXPECT_EQ(find_best_checkpoint(directory.path()), (BestCheckpoint{20, "loss", 0.25}));
}

TEST(CheckpointRetention, KeepsEverySoManySteps) {
  TemporaryDirectory directory;
  CheckpointWriter writer(directory.path(), {"job", 1}, {.newest = 2, .every = 50});
  for (std::int64_t step = 10; step <= 140; step += 10) publish(writer, step);
  EXPECT_THAT(steps_in(directory.path()), ElementsAre(140, 130, 100, 50));
}

TEST(CheckpointRetention, GoesOnWithTheBestAfterAResume) {
  TemporaryDirectory directory;
  {
    CheckpointWriter writer(directory.path(), {"job", 1}, kBestByAccuracy);
    publish_and_judge(writer, 10, 0.9);
    publish_and_judge(writer, 20, 0.8);
  }
  CheckpointWriter writer(directory.path(), {"job", 2}, kBestByAccuracy);
  writer.continue_from(20);
  publish_and_judge(writer, 30, 0.85);
  EXPECT_THAT(steps_in(directory.path()), ElementsAre(30, 10));
  publish_and_judge(writer, 40, 0.95);
  EXPECT_THAT(steps_in(directory.path()), ElementsAre(40));
}

// What was best of another line or by another metric binds nobody.
TEST(CheckpointRetention, ForgetsABestThatIsNotOfThisRun) {
  const struct {
    Retention retention;
    std::int64_t resumed_from;
  } cases[] = {{{.newest = 1, .best = "loss"}, 20},  // another metric
               {{.newest = 1}, 20},                  // none any more
               {kBestByAccuracy, 5},                 // what it names was passed over
               {kBestByAccuracy, -1}};               // training starts over
  for (const auto& [retention, resumed_from] : cases) {
    TemporaryDirectory directory;
    {
      CheckpointWriter writer(directory.path(), {"job", 1}, kBestByAccuracy);
      publish_and_judge(writer, 10, 0.9);
      publish_and_judge(writer, 20, 0.8);
    }
    CheckpointWriter writer(directory.path(), {"job", 2}, retention);
    if (resumed_from >= 0) writer.continue_from(resumed_from);
    publish(writer, 30);
    EXPECT_FALSE(fs::exists(directory / "BEST")) << resumed_from;
    EXPECT_THAT(steps_in(directory.path()), ElementsAre(30));
  }
}

TEST(CheckpointRetention, JudgesOnlyWhatWasPublished) {
  TemporaryDirectory directory;
  CheckpointWriter writer(directory.path(), {"job", 1}, kBestByAccuracy);
  writer.judge(0, 0.5);
  publish(writer, 10);
  writer.judge(15, 0.9);
  writer.judge(5, 0.9);
  EXPECT_EQ(find_best_checkpoint(directory.path()), std::nullopt);
  writer.judge(10, 0.5);
  EXPECT_EQ(find_best_checkpoint(directory.path())->step, 10);
}

TEST(CheckpointRetention, LetsNoSupersededWriterJudge) {
  TemporaryDirectory directory;
  CheckpointWriter old(directory.path(), {"job", 1}, kBestByAccuracy);
  publish(old, 10);
  CheckpointWriter current(directory.path(), {"job", 2}, kBestByAccuracy);
  EXPECT_THAT([&] { old.judge(10, 0.9); },
              ThrowsMessage<StorageError>(HasSubstr("attempt 2 of this job owns it now")));
  EXPECT_EQ(find_best_checkpoint(directory.path()), std::nullopt);
}

TEST(BestText, IsReadBackAndNothingElseIs) {
  const BestCheckpoint best{120, "accuracy", 0.1};
  EXPECT_EQ(best_text(best), "step-120\naccuracy 0.1\n");
  EXPECT_EQ(parse_best(best_text(best)), best);
  for (const char* text :
       {"", "\n", "step-1", "step-1\n", "step-1\nloss\n", "step-1\nloss \n", "step-1\nloss 1",
        "step-1\nloss 1 2\n", "step-1\nloss nan\n", "step-x\nloss 1\n", "step 1\nloss\n"}) {
    EXPECT_EQ(parse_best(text), std::nullopt) << text;
  }
}

TEST(FindBestCheckpoint, NamesNothingThatIsGone) {
  TemporaryDirectory directory;
  testing::set_content(directory / "BEST", "step-3\nloss 1\n");
  EXPECT_EQ(find_best_checkpoint(directory.path()), std::nullopt);
  fs::create_directory(directory / "step-3");
  EXPECT_TRUE(find_best_checkpoint(directory.path()));
}

TEST(ReadCheckpoint, ReadsTheStepAskedForOrSaysWhatIsWrong) {
  TemporaryDirectory directory;
  CheckpointWriter writer(directory.path(), {"job", 1}, 3);
  publish(writer, 10);
  publish(writer, 20);
  EXPECT_TRUE(testing::holds_its_step(read_checkpoint(directory.path(), 10)));
  EXPECT_THAT([&] { read_checkpoint(directory.path(), 30); },
              ThrowsMessage<BadData>(HasSubstr("step-30 is not whole: cannot read ")));
  fs::resize_file(directory / "step-10/state.json", 1);
  EXPECT_THAT([&] { read_checkpoint(directory.path(), 10); },
              ThrowsMessage<BadData>(HasSubstr("step-10 is damaged: state.json has 1 bytes")));
}

}  // namespace
}  // namespace lockstep
