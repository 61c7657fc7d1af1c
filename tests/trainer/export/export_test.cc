// Which checkpoint is exported, and into which format.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "tests/support/temporary_directory.h"
#include "tests/trainer/state/small_checkpoint.h"
#include "trainer/errors.h"
#include "trainer/export_command.h"
#include "trainer/state/weights_file.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::publish;
using testing::TemporaryDirectory;
using ::testing::ThrowsMessage;

class ExportTest : public ::testing::Test {
 protected:
  ExportTest() {
    CheckpointWriter writer(checkpoints_.path(), {"job", 1}, {.newest = 5, .best = "accuracy"});
    for (const std::int64_t step : {10, 20, 30}) {
      publish(writer, step);
      writer.judge(step, step == 20 ? 0.9 : 0.5);
    }
  }

  // The value that SmallCheckpoint gave the weight: its step.
  std::int64_t exported(const std::string& step, const char* name) {
    const fs::path to = results_ / name;
    export_weights({checkpoints_.path(), step, to}, tell());
    const WeightsFile file = WeightsFile::read(to);
    std::int64_t value = -1;
    if (file.tensors().size() == 1 && file.tensors()[0].name == "weight") {
      std::memcpy(&value, file.tensors()[0].bytes.data(), sizeof value);
    }
    return value;
  }
  std::function<void(const std::string&)> tell() {
    return [this](const std::string& text) { told_.push_back(text); };
  }

  TemporaryDirectory checkpoints_, results_;
  std::vector<std::string> told_;
};

TEST_F(ExportTest, TakesTheNewestTheBestOrTheOneAskedFor) {
  for (const char* name : {"w.safetensors", "w.pt", "w.pth"}) {
    EXPECT_EQ(exported("", name), 30);
    EXPECT_EQ(exported("best", name), 20);
    EXPECT_EQ(exported("10", name), 10);
  }
  EXPECT_THAT(told_.front(), HasSubstr("wrote 1 tensors of step 30 to "));
}

TEST_F(ExportTest, WritesTheCheckpointsOwnBytesAsSafetensors) {
  EXPECT_EQ(exported("10", "w.safetensors"), 10);
  EXPECT_EQ(testing::content_of(results_ / "w.safetensors"),
            testing::content_of(checkpoints_ / "step-10/model.safetensors"));
}

TEST_F(ExportTest, TakesTheAveragesOfParametersWhereThereAreAny) {
  const std::vector<float> raw = {1, 2}, average = {3, 4};
  const TensorRecord weight{.name = "weight", .shape = {2}, .bytes = std::as_bytes(std::span(raw))};
  const TensorRecord buffer{.name = "mean", .shape = {2}, .bytes = std::as_bytes(std::span(raw))};
  TensorRecord ema{.name = "weight.ema", .shape = {2}, .bytes = std::as_bytes(std::span(average))};
  const TensorRecord model[] = {weight, buffer};
  CheckpointWriter writer(checkpoints_.path(), {"job", 2}, 1);
  writer.publish(40, {.model = model, .optimizer = std::span(&ema, 1), .state = {}});
  export_weights({checkpoints_.path(), "", results_ / "w.pt"}, tell());
  const WeightsFile file = WeightsFile::read(results_ / "w.pt");
  ASSERT_EQ(file.tensors().size(), 2u);
  EXPECT_EQ(0, std::memcmp(file.tensors()[0].bytes.data(), raw.data(), 8));
  EXPECT_EQ(0, std::memcmp(file.tensors()[1].bytes.data(), average.data(), 8));
  ema.shape = {1, 2};
  writer.publish(50, {.model = model, .optimizer = std::span(&ema, 1), .state = {}});
  EXPECT_THAT(
      [&] {
        export_weights({checkpoints_.path(), "", results_ / "w.pt"}, tell());
      },
      ThrowsMessage<BadData>("the average of weight has another shape or type than it"));
}

TEST_F(ExportTest, PassesOverADamagedCheckpointAndSaysSo) {
  fs::resize_file(checkpoints_ / "step-30/model.safetensors", 3);
  EXPECT_EQ(exported("", "w.pt"), 20);
  EXPECT_THAT(told_, ElementsAre(HasSubstr("step-30 is damaged"), HasSubstr("of step 20")));
  EXPECT_THAT([&] { exported("30", "w.pt"); }, ThrowsMessage<BadData>(HasSubstr("is damaged")));
}

TEST_F(ExportTest, SaysWhatCannotBeExported) {
  const struct {
    std::string step, name;
    const char* reason;
  } cases[] = {{"x", "w.pt", "--step x is no step: write a number or best"},
               {"-1", "w.pt", "--step -1 is no step"},
               {"1.5", "w.pt", "--step 1.5 is no step"},
               {"", "w.onnx", "let it end in .safetensors, .pt or .pth"},
               {"", "w", "let it end in .safetensors, .pt or .pth"}};
  for (const auto& [step, name, reason] : cases) {
    EXPECT_THAT([&] { exported(step, name.c_str()); },
                ThrowsMessage<std::invalid_argument>(HasSubstr(reason)));
  }
  fs::remove(checkpoints_ / "BEST");
  EXPECT_THAT([&] { exported("best", "w.pt"); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("names no best checkpoint")));
  EXPECT_THAT(
      [&] {
        export_weights({results_.path(), "", results_ / "w.pt"}, tell());
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("holds no whole checkpoint")));
  EXPECT_THROW(export_weights({checkpoints_.path(), "", results_ / "absent/w.pt"}, tell()),
               StorageError);
  EXPECT_TRUE(fs::is_empty(results_.path()));
}

}  // namespace
}  // namespace lockstep
