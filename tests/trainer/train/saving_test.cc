// Saving beside the training: what is written, what is told of it, and where its errors come out.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <thread>

#include "tests/support/temporary_directory.h"
#include "tests/trainer/train/owned_checkpoints.h"
#include "trainer/checkpoints.h"
#include "trainer/errors.h"
#include "trainer/group/backend.h"
#include "trainer/torch.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMany = std::int64_t{12} << 20;  // values, of which a writer has for a while

class SavingTest : public ::testing::Test {
 protected:
  void SetUp() override { config_.checkpoint.directory = directory_.path(); }

  OwnedCheckpoints checkpoints() { return OwnedCheckpoints(config_, {"data", 40}, {}, *group_); }

  // Every value is the number of the step.
  TrainingState& state_at(std::int64_t step) {
    weights_.fill_(step);
    velocity_.fill_(step);
    state_.step = step;
    return state_;
  }

  bool holds_its_step(std::int64_t step) {
    const at::Tensor weights = at::zeros_like(weights_), velocity = at::zeros({});
    const Checkpoint checkpoint = read_checkpoint(directory_.path(), step);
    restore("model", checkpoint.model, {{"weights", weights}});
    restore("optimizer", checkpoint.optimizer, {{"velocity", velocity}});
    return weights.eq(step).all().item<bool>() && velocity.eq(step).item<bool>();
  }

  void lose_the_directory() const { fs::remove_all(directory_.path()); }

  testing::TemporaryDirectory directory_;
  Config config_;
  std::unique_ptr<Group> group_ = make_single(at::kCPU);
  at::Tensor weights_ = at::zeros({kMany}), velocity_ = at::zeros({});
  TrainingState state_{
      .model = {{"weights", weights_}}, .optimizer = {{"velocity", velocity_}}, .metrics = {}};
};

class Saving : public SavingTest, public ::testing::WithParamInterface<bool> {
 protected:
  void SetUp() override {
    SavingTest::SetUp();
    config_.checkpoint.asynchronous = GetParam();
  }
};
INSTANTIATE_TEST_SUITE_P(Asynchronous, Saving, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "True" : "False"; });

// As training does, the next step writes into the same memory at once.
TEST_P(Saving, WritesTheMomentThatWasSaved) {
  OwnedCheckpoints saved = checkpoints();
  for (const std::int64_t step : {1, 2, 3}) {
    saved.save(state_at(step));
    state_at(99);
  }
  saved.finish();
  for (const std::int64_t step : {1, 2, 3}) EXPECT_TRUE(holds_its_step(step)) << step;
}

TEST_P(Saving, TellsAStepOnceItIsDurable) {
  OwnedCheckpoints saved = checkpoints();
  EXPECT_EQ(saved.newly_durable(), std::nullopt);
  saved.save(state_at(5), Evaluation{.loss = 0.5, .accuracy = 0.75});
  std::optional<std::int64_t> told;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!told && std::chrono::steady_clock::now() < deadline) told = saved.newly_durable();
  EXPECT_EQ(told, 5);
  EXPECT_TRUE(holds_its_step(5));
  EXPECT_TRUE(fs::exists(directory_ / "LATEST"));
  EXPECT_EQ(saved.newly_durable(), std::nullopt);
}

TEST_P(Saving, KeepsTheBestByItsEvaluation) {
  config_.checkpoint.best = "accuracy";
  config_.checkpoint.keep = 1;
  OwnedCheckpoints saved = checkpoints();
  saved.save(state_at(5), Evaluation{.accuracy = 0.75});
  saved.save(state_at(6), Evaluation{.accuracy = 0.25});
  saved.save(state_at(7));
  saved.finish();
  const BestCheckpoint best{.step = 5, .metric = "accuracy", .value = 0.75};
  EXPECT_EQ(find_best_checkpoint(directory_.path()), best);
  EXPECT_TRUE(fs::exists(directory_ / "step-7"));
  EXPECT_FALSE(fs::exists(directory_ / "step-6"));
}

TEST_P(Saving, ThrowsTheErrorOfASaveAtTheNextOccasion) {
  const std::vector<std::function<void(Checkpoints&)>> occasions{
      [](Checkpoints& saved) { saved.finish(); },
      [this](Checkpoints& saved) { saved.save(state_at(6)); },
      [](Checkpoints& saved) {
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
        while (std::chrono::steady_clock::now() < deadline) saved.newly_durable();
      }};
  for (const auto& occasion : occasions) {
    OwnedCheckpoints saved = checkpoints();
    lose_the_directory();
    const auto both = [&] {
      saved.save(state_at(5));
      occasion(saved);
    };
    EXPECT_THROW(both(), StorageError);
    EXPECT_EQ(saved.newly_durable(), std::nullopt) << "it is told once, and the step never";
  }
}

class SavingBeside : public SavingTest {
 protected:
  // The writer looks into OWNER when all but the name is written, and there waits for go_on(), only
  // to find nothing.
  void hold_the_writer() const {
    fs::remove(owner());
    ASSERT_EQ(mkfifo(owner().c_str(), 0600), 0);
  }
  void go_on() const { close(open(owner().c_str(), O_WRONLY | O_CLOEXEC)); }
  fs::path owner() const { return directory_ / "OWNER"; }
};

TEST_F(SavingBeside, NeitherWaitsNorTellsBeforeTheSaveIsDurable) {
  OwnedCheckpoints saved = checkpoints();
  hold_the_writer();
  saved.save(state_at(5));
  EXPECT_EQ(saved.newly_durable(), std::nullopt);
  EXPECT_FALSE(fs::exists(directory_ / "step-5"));
  go_on();
  EXPECT_THROW(saved.finish(), StorageError);
}

TEST_F(SavingBeside, HasOneSaveUnderWay) {
  OwnedCheckpoints saved = checkpoints();
  hold_the_writer();
  saved.save(state_at(5));
  std::thread release([this] { go_on(); });
  EXPECT_THROW(saved.save(state_at(6)), StorageError) << "of step 5";
  release.join();
}

TEST_F(SavingBeside, EndsASaveWhenTheRunFailsElsewhere) {
  checkpoints().save(state_at(5));
  EXPECT_TRUE(holds_its_step(5));
}

TEST_F(SavingBeside, WarnsOfAnErrorThatNobodyAskedFor) {
  ::testing::internal::CaptureStdout();
  {
    OwnedCheckpoints saved = checkpoints();
    lose_the_directory();
    saved.save(state_at(5));
  }
  EXPECT_THAT(::testing::internal::GetCapturedStdout(),
              ::testing::StartsWith("warning: the last checkpoint was not saved: cannot make "));
}

TEST(Snapshot, KeepsItsMemory) {
  Snapshot snapshot;
  const at::Tensor tensor = at::ones({2, 3, 4, 5});
  const NamedTensors first = snapshot.take({{"x", tensor}});
  tensor.fill_(2);
  EXPECT_TRUE(first[0].second.eq(1).all().item<bool>());
  const NamedTensors second = snapshot.take({{"x", tensor}});
  EXPECT_EQ(second[0].second.data_ptr(), first[0].second.data_ptr());
  EXPECT_TRUE(second[0].second.equal(tensor));
}

TEST(Snapshot, IsRowMajorAndFollowsShapesAndTypes) {
  Snapshot snapshot;
  const at::Tensor images = at::rand({2, 3, 4, 5}).contiguous(at::MemoryFormat::ChannelsLast);
  for (const at::Tensor& tensor : {at::rand({2}), images, images.to(at::kHalf)}) {
    const NamedTensors copy = snapshot.take({{"x", tensor}});
    EXPECT_TRUE(copy[0].second.is_contiguous());
    EXPECT_EQ(copy[0].second.scalar_type(), tensor.scalar_type());
    EXPECT_TRUE(copy[0].second.equal(tensor));
  }
  EXPECT_TRUE(snapshot.take({}).empty());
}

}  // namespace
}  // namespace lockstep
