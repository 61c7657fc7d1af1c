// Saving and restoring model and optimizer in one process.
#include "trainer/checkpoints.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temporary_directory.h"
#include "trainer/group/backend.h"
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

  std::shared_ptr<Model> model(std::uint64_t seed) { return make_model(config_.model, {}, seed); }

  Checkpoints checkpoints(const std::string& data = "data") {
    return Checkpoints(config_, data, {}, *group_);
  }

  // Saves a model of seed 1 whose velocities are all 0.5.
  void save_at(std::int64_t step) {
    const auto saved = model(1);
    const Sgd optimizer(*saved, config_.optim);
    for (const auto& [name, velocity] : optimizer.state()) velocity.fill_(0.5);
    checkpoints().save({step, 1}, *saved, optimizer);
  }

  std::string refusal_to_resume(const std::string& data = "data") {
    const auto fresh = model(2);
    try {
      checkpoints(data).resume(*fresh, Sgd(*fresh, config_.optim));
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  }

  testing::TemporaryDirectory directory_;
  Config config_;
  std::unique_ptr<Group> group_ = make_single(at::kCPU);
};

TEST_F(CheckpointsTest, RestoreEveryTensor) {
  save_at(7);
  const auto fresh = model(2);
  const Sgd optimizer(*fresh, config_.optim);
  EXPECT_EQ(checkpoints().resume(*fresh, optimizer), 7);
  const auto saved = model(1)->parameters();
  for (std::size_t i = 0; i < saved.size(); ++i)
    EXPECT_TRUE(fresh->parameters()[i].equal(saved[i]));
  for (const auto& [name, velocity] : optimizer.state())
    EXPECT_TRUE(velocity.eq(0.5).all().item<bool>());
}

TEST_F(CheckpointsTest, StartFromZeroWhenThereIsNoneOrNoneIsWanted) {
  const auto fresh = model(2);
  EXPECT_EQ(checkpoints().resume(*fresh, Sgd(*fresh, config_.optim)), 0);
  save_at(7);
  config_.checkpoint.resume = "never";
  EXPECT_EQ(checkpoints().resume(*fresh, Sgd(*fresh, config_.optim)), 0);
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

TEST_F(CheckpointsTest, NameTheDataWhenItDiffers) {
  save_at(7);
  EXPECT_THAT(refusal_to_resume("other data"), ::testing::HasSubstr("another data.identity"));
  config_.checkpoint.resume = "force";
  EXPECT_EQ(refusal_to_resume("other data"), "");
}

TEST_F(CheckpointsTest, RefuseAnotherModelEvenByForce) {
  save_at(7);
  config_.model.hidden = {64};
  config_.checkpoint.resume = "force";
  EXPECT_THAT(refusal_to_resume(), ::testing::HasSubstr("has another shape or type"));
}

TEST_F(CheckpointsTest, DoNothingWithoutADirectory) {
  config_.checkpoint.directory = "";
  const auto fresh = model(2);
  Checkpoints off = checkpoints();
  EXPECT_FALSE(off.is_on());
  off.save({1, 1}, *fresh, Sgd(*fresh, config_.optim));
  EXPECT_EQ(off.resume(*fresh, Sgd(*fresh, config_.optim)), 0);
}

}  // namespace
}  // namespace lockstep
