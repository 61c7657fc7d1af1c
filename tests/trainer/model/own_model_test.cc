// Models that were not built in: a shared library (plugins/), or a TorchScript file, which trains
// as it does in Python (golden/make_script_goldens.py).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/temporary_directory.h"
#include "trainer/model/registry.h"
#include "trainer/torch.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;

const DataShape kPictures{};
const DataShape kTexts{.kind = SampleKind::kTexts, .vocabulary = 31, .classes = 5};
const DataShape kWindows{
    .kind = SampleKind::kWindows, .columns = 16, .vocabulary = 31, .classes = 31};

std::string golden(const std::string& name) { return std::string(GOLDEN_DIR "/") + name; }

ModelConfig plugin(const std::string& file, const std::string& options = "") {
  return {.name = "plugin", .file = file, .options = options};
}
ModelConfig script(const std::string& name) {
  return {.name = "torchscript", .file = golden(name)};
}

std::string refusal(const ModelConfig& config, const DataShape& shape = kPictures) {
  try {
    make_model(config, shape, 1);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(Registry, WantsAFileForModelsThatAreInOneAndForNoOther) {
  EXPECT_EQ(refusal({.name = "plugin"}), "model plugin is in a file: name it in model.file");
  EXPECT_EQ(refusal({.name = "torchscript"}),
            "model torchscript is in a file: name it in model.file");
  EXPECT_THAT(refusal({.name = "lenet", .file = "w.pt"}),
              HasSubstr("model.file belongs to model.name plugin or torchscript, not to lenet"));
  EXPECT_THAT(refusal({.name = "plugins", .file = "x"}), HasSubstr("did you mean plugin?"));
  EXPECT_THAT(refusal({.name = "torch-script"}), HasSubstr("did you mean torchscript?"));
}

TEST(Plugin, IsAModelLikeAnyOther) {
  const auto model = make_model(plugin(GOOD_PLUGIN), kPictures, 1);
  EXPECT_EQ(model->named_parameters().keys(),
            (std::vector<std::string>{"head.weight", "head.bias"}));
  EXPECT_TRUE(model->is_training());
  const auto again = make_model(plugin(GOOD_PLUGIN), kPictures, 1);
  EXPECT_TRUE(model->parameters()[0].equal(again->parameters()[0])) << "weights by the seed";
  model->forward({at::ones({3, 1, 28, 28}), {}, {}}).sum().backward();
  EXPECT_TRUE(model->parameters()[0].grad().defined());
}

TEST(Plugin, IsRefusedWithASentence) {
  const testing::TemporaryDirectory directory;
  const std::string text = directory / "text.so";
  std::ofstream(text) << "no library, whatever its name says: longer than an ELF header is, by far";
  const struct {
    std::string file, options, reason;
  } cases[] = {
      {directory / "absent.so", "", "is no shared library that can be loaded: cannot open"},
      {text, "", "is no shared library that can be loaded: invalid ELF header"},
      {FAULTY_PLUGIN "_other.so", "", "has no function lockstep_model_plugin: end its source"},
      {FAULTY_PLUGIN "_null.so", "", "describes no model"},
      {FAULTY_PLUGIN "_version.so", "", "was built for version 99 of trainer/model/plugin.h"},
      {FAULTY_PLUGIN "_libtorch.so", "", "was built with LibTorch 1.13.1, this lockstep-train has"},
      {GOOD_PLUGIN, "throws", "cannot make its model: no maps are left"},
      {GOOD_PLUGIN, "throws a number", "it threw something that is no std::exception"},
      {GOOD_PLUGIN, "null", "its function returned null"},
      {GOOD_PLUGIN, "frozen", "has no parameter that can be trained"},
      {GOOD_PLUGIN, "forward throws", "of [2, 1, 28, 28]: no picture is good enough"},
      {GOOD_PLUGIN, "one class less",
       "[2, 9] as the scores of samples [2, 1, 28, 28]; the data "
       "needs [2, 10]: a number for each of 10 classes"}};
  for (const auto& each : cases) {
    const std::string sentence = refusal(plugin(each.file, each.options));
    EXPECT_THAT(sentence, HasSubstr("model.file " + each.file)) << each.reason;
    EXPECT_THAT(sentence, HasSubstr(each.reason));
  }
  EXPECT_THAT(refusal(plugin(GOOD_PLUGIN), kTexts),
              HasSubstr("takes pictures or rows of a table, but data.train holds texts"));
}

at::Tensor wave(std::int64_t count, double frequency) {
  return at::sin(at::arange(count, at::kDouble) * frequency);
}

at::Tensor pictures(std::int64_t count, double frequency) {
  return wave(count * 784, frequency).view({count, 1, 28, 28}).to(at::kFloat);
}

// `losses_of` of the script, by hand.
std::vector<double> losses_of(Model& model, int steps) {
  std::vector<double> losses;
  for (int step = 0; step < steps; ++step) {
    const at::Tensor labels = at::arange(6, at::kLong).mul(7).add(step).remainder(10);
    for (const at::Tensor& each : model.parameters()) each.mutable_grad().reset();
    const at::Tensor loss =
        at::cross_entropy_loss(model.forward({pictures(6, 0.013 * (step + 1)), {}, {}}), labels);
    loss.backward();
    const at::NoGradGuard no_grad;
    for (const at::Tensor& each : model.parameters()) {
      if (each.grad().defined()) each.sub_(each.grad(), 0.1);
    }
    losses.push_back(loss.item<double>());
  }
  return losses;
}

TEST(TorchScript, TrainsAsInPython) {
  const auto wanted = nlohmann::json::parse(testing::content_of(golden("scripts.json")));
  const auto model = make_model(script("scripted.pt"), kPictures, 1);
  std::vector<std::string> names = model->named_parameters().keys();
  for (const std::string& name : model->named_buffers().keys()) names.push_back(name);
  EXPECT_EQ(names, wanted["names"].get<std::vector<std::string>>());
  const auto losses = wanted["losses"].get<std::vector<double>>();
  EXPECT_THAT(losses_of(*model, static_cast<int>(losses.size())),
              ::testing::Pointwise(::testing::DoubleNear(1e-6), losses));
  EXPECT_FALSE(model->named_parameters()["scale"].requires_grad()) << "it stays frozen";
}

// Twice as large maps in training, by an `if` of the script; batch norm by its averages.
TEST(TorchScript, KnowsTrainingFromEvaluation) {
  const auto wanted = nlohmann::json::parse(testing::content_of(golden("scripts.json")));
  const auto model = make_model(script("scripted.pt"), kPictures, 1);
  const Batch batch{pictures(1, 0.01), {}, {}};
  model->eval();
  const at::Tensor scores = model->forward(batch);
  model->train();
  EXPECT_FALSE(model->forward(batch).allclose(scores));
  const auto expected = wanted["scores"].get<std::vector<double>>();
  for (std::int64_t i = 0; i < 10; ++i) {
    EXPECT_NEAR(scores[0][i].item<double>(), expected[static_cast<std::size_t>(i)], 1e-6);
  }
}

TEST(TorchScript, MovesWithItsParameters) {
  const auto model = make_model(script("scripted.pt"), kPictures, 1);
  model->to(at::kDouble);
  EXPECT_EQ(model->forward({pictures(2, 0.1).to(at::kDouble), {}, {}}).scalar_type(), at::kDouble);
}

TEST(TorchScript, TakesTextsWithTheirLengthsAndWindows) {
  const Batch texts{at::ones({2, 7}, at::kLong), {}, at::tensor({7, 3}).to(at::kLong)};
  EXPECT_EQ(make_model(script("text.pt"), kTexts, 1)->forward(texts).sizes(),
            (std::vector<std::int64_t>{2, 5}));
  const auto tokens = make_model(script("tokens.pt"), kWindows, 1);
  EXPECT_EQ(tokens->forward({at::ones({2, 16}, at::kLong), {}, {}}).sizes(),
            (std::vector<std::int64_t>{2, 16, 31}));
  EXPECT_EQ(tokens->parameters().size(), 3u) << "a layer with two names is one";
}

TEST(TorchScript, IsRefusedWithASentence) {
  const struct {
    const char* file;
    DataShape shape;
    const char* reason;
  } cases[] = {
      {"absent.pt", kPictures, "is no file that can be read"},
      {"models.json", kPictures, "is no TorchScript file: write one in Python with torch.jit"},
      {"weights_alone.pt", kPictures, "holds weights and no model: name it in model.weights"},
      {"text.pt", kPictures, "a forward of 2 arguments; the samples of data.train are one"},
      {"nine_classes.pt", kPictures, "[2, 9] as the scores of samples [2, 1, 28, 28]; the data "},
      {"pair.pt", kPictures, "gives nothing as the scores"},
      {"tokens.pt", kPictures, "cannot score samples of [2, 1, 28, 28]: "},
      {"tokens.pt", kTexts, "a number for each of 5 classes"}};
  for (const auto& each : cases) {
    EXPECT_THAT(
        refusal(script(each.file), each.shape),
        ::testing::AllOf(HasSubstr("model.file " + golden(each.file)), HasSubstr(each.reason)));
  }
}

}  // namespace
}  // namespace lockstep
