// Saving and restoring model and optimizer in one process.
#include "trainer/checkpoints.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/temporary_directory.h"
#include "tests/trainer/train/owned_checkpoints.h"
#include "trainer/group/backend.h"
#include "trainer/model/registry.h"
#include "trainer/optim/optimizer.h"
#include "trainer/state/torch_tensors.h"
#include "trainer/torch.h"

namespace lockstep {
namespace {

class CheckpointsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    config_.checkpoint.directory = directory_.path();
    config_.model.name = "mlp";
  }

  OwnedCheckpoints checkpoints(const std::string& data = "data") {
    return OwnedCheckpoints(config_, {data, steps_per_epoch_}, {}, *group_);
  }

  // A model of that seed, whose velocities are all `velocity`.
  TrainingState fresh(std::uint64_t seed, double velocity = 0) {
    const auto model = make_model(config_.model, {}, seed);
    const Optimizer optimizer(*model, config_.optim);
    for (const auto& [name, tensor] : optimizer.state()) tensor.fill_(velocity);
    return {.model = tensors_of(*model), .optimizer = optimizer.state(), .metrics = {}};
  }

  void save_at(std::int64_t step, const std::vector<double>& metrics = {0.25, 0.125}) {
    TrainingState state = fresh(1, 0.5);
    state.step = step;
    state.epoch = 2;
    state.metrics = metrics;
    state.left_out_in_a_row = 3;
    checkpoints().save(state);
  }

  TrainingState resumed(const std::string& data = "data") {
    TrainingState state = fresh(2);
    checkpoints(data).resume(state);
    return state;
  }

  std::string refusal_to_resume(const std::string& data = "data") {
    try {
      resumed(data);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  }

  testing::TemporaryDirectory directory_;
  Config config_;
  std::int64_t steps_per_epoch_ = 40;
  std::unique_ptr<Group> group_ = make_single(at::kCPU);
};

TEST_F(CheckpointsTest, RestoreTheWholeState) {
  save_at(7);
  const TrainingState state = resumed(), saved = fresh(1, 0.5);
  EXPECT_EQ(state.step, 7);
  EXPECT_EQ(state.epoch, 2);
  EXPECT_EQ(state.metrics, (std::vector<double>{0.25, 0.125}));
  EXPECT_EQ(state.left_out_in_a_row, 3);
  for (std::size_t i = 0; i < saved.model.size(); ++i) {
    EXPECT_TRUE(state.model[i].second.equal(saved.model[i].second)) << saved.model[i].first;
  }
  for (std::size_t i = 0; i < saved.optimizer.size(); ++i) {
    EXPECT_TRUE(state.optimizer[i].second.equal(saved.optimizer[i].second));
  }
}

// As an evaluation of weights that are no numbers gives; JSON knows none of these.
TEST_F(CheckpointsTest, RestoreMetricsThatAreNotFinite) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  save_at(7, {kInfinity, -kInfinity, std::nan(""), 0.1});
  EXPECT_THAT(resumed().metrics,
              ::testing::ElementsAre(kInfinity, -kInfinity, ::testing::IsNan(), 0.1));
}

TEST_F(CheckpointsTest, StartFromZeroWhenThereIsNoneOrNoneIsWanted) {
  EXPECT_EQ(resumed().step, 0);
  save_at(7);
  config_.checkpoint.resume = "never";
  EXPECT_EQ(resumed().step, 0);
}

TEST_F(CheckpointsTest, NameTheSettingsThatDiffer) {
  save_at(7);
  config_.train.epochs = 9;  // training longer is no difference
  EXPECT_EQ(refusal_to_resume(), "");
  config_.optim.momentum = 0.5;
  config_.seed = 99;
  EXPECT_THAT(refusal_to_resume(),
              ::testing::HasSubstr("was written with another optim.momentum, seed"));
}

// As in the checkpoints of versions before that setting.
TEST_F(CheckpointsTest, CountASettingThatTheyLackAsItsDefault) {
  save_at(7);
  const Checkpoint written = read_checkpoint(directory_.path(), 7);
  nlohmann::json state = written.state;
  ASSERT_EQ(state["settings"].erase("optim.dampening"), 1u);
  CheckpointWriter(directory_.path(), {}, 3)
      .publish(8, {written.model.tensors(), written.optimizer.tensors(), state});
  EXPECT_EQ(resumed().step, 8);
  config_.optim.dampening = 0.5;
  EXPECT_THAT(refusal_to_resume(),
              ::testing::HasSubstr("was written with another optim.dampening:"));
}

TEST_F(CheckpointsTest, NameTheDataWhenItDiffers) {
  save_at(7);
  EXPECT_THAT(refusal_to_resume("other data"), ::testing::HasSubstr("another data.identity"));
  config_.checkpoint.resume = "force";
  EXPECT_EQ(refusal_to_resume("other data"), "");
}

// As another number of ranks gives, where a bucket's batch is counted per rank.
TEST_F(CheckpointsTest, RefuseStepsOfAnotherLength) {
  save_at(7);
  steps_per_epoch_ = 20;
  EXPECT_THAT(refusal_to_resume(), ::testing::HasSubstr("another number of steps per epoch"));
}

TEST_F(CheckpointsTest, RefuseAnotherModelEvenByForce) {
  save_at(7);
  config_.model.hidden = {64};
  config_.checkpoint.resume = "force";
  EXPECT_THAT(
      refusal_to_resume(),
      ::testing::HasSubstr(
          "has another shape or type: take the model and optimizer that it was written with"));
  config_.model.hidden = {128};
  config_.optim.name = "adam";
  EXPECT_THAT(
      refusal_to_resume(),
      ::testing::HasSubstr("are needed: take the model and optimizer that it was written with"));
}

TEST_F(CheckpointsTest, DoNothingWithoutADirectory) {
  config_.checkpoint.directory = "";
  OwnedCheckpoints off = checkpoints();
  EXPECT_FALSE(off.is_on());
  save_at(1);
  EXPECT_EQ(resumed().step, 0);
}

TEST_F(CheckpointsTest, ThatOnlyReadDoNotTakeTheDirectoryOver) {
  OwnedCheckpoints training = checkpoints();
  TrainingState saved = fresh(1);
  saved.step = 3;
  training.save(saved);
  training.finish();
  Checkpoints reading(config_, {"data", steps_per_epoch_}, {.attempt = 7}, *group_);
  TrainingState read = fresh(2);
  reading.resume(read);
  EXPECT_EQ(read.step, 3);
  EXPECT_FALSE(reading.is_writer());
  saved.step = 4;
  training.save(saved);
  training.finish();
}

}  // namespace
}  // namespace lockstep
