// The built-in models against torchvision's and Python's (golden/make_model_goldens.py): the same
// names, and the same scores from the same weights.
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/support/temporary_directory.h"
#include "trainer/model/registry.h"
#include "trainer/torch.h"

namespace lockstep {
namespace {

nlohmann::json golden() {
  return nlohmann::json::parse(testing::content_of(GOLDEN_DIR "/models.json"));
}

std::uint32_t crc32_of(const std::string& text) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(text.data()), text.size()));
}

at::Tensor wave(std::int64_t count, double frequency, double phase = 0) {
  return at::sin(at::arange(count, at::kDouble) * frequency + phase);
}

// `filled` of the script.
void fill(const std::string& name, const at::Tensor& tensor) {
  if (!tensor.is_floating_point()) return;
  const at::Tensor values = wave(tensor.numel(), 0.37, crc32_of(name) % 1000);
  const bool is_flat = tensor.dim() == 1;
  const bool is_norm_scale = is_flat && (name.ends_with("weight") || name.ends_with("running_var"));
  const auto fan_in =
      static_cast<double>(std::max<std::int64_t>(1, tensor.numel() / tensor.size(0)));
  const at::Tensor filling =
      is_norm_scale ? 1 + 0.1 * values : values * (is_flat ? 0.1 : 1 / std::sqrt(fan_in));
  tensor.copy_(filling.view_as(tensor));
}

std::shared_ptr<Model> filled_model(const ModelConfig& config, const DataShape& shape) {
  const at::NoGradGuard no_grad;
  const auto model = make_model(config, shape, 1);
  for (const auto& item : model->named_parameters()) fill(item.key(), item.value());
  for (const auto& item : model->named_buffers()) fill(item.key(), item.value());
  model->eval();
  return model;
}

void expect_scores(const std::string& name, Model& model, const Batch& batch) {
  const at::NoGradGuard no_grad;
  const nlohmann::json wanted = golden()["scores"][name];
  const at::Tensor scores = model.forward(batch);
  EXPECT_EQ(scores.sizes().vec(), wanted["shape"].get<std::vector<std::int64_t>>()) << name;
  const at::Tensor flat = scores.flatten().to(at::kDouble);
  const auto first = wanted["first"].get<std::vector<double>>();
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_NEAR(flat[static_cast<std::int64_t>(i)].item<double>(), first[i], 1e-5) << name << i;
  }
  EXPECT_NEAR(flat.mean().item<double>(), wanted["mean"].get<double>(), 1e-5) << name;
  EXPECT_NEAR(flat.norm().item<double>(), wanted["norm"].get<double>(), 1e-4) << name;
}

at::Tensor tokens(std::int64_t count, std::int64_t length, std::int64_t vocabulary) {
  return at::arange(count * length, at::kLong).mul(7).remainder(vocabulary).view({count, length});
}

TEST(ResNet, HasTorchvisionsParameters) {
  const nlohmann::json all = golden()["parameters"];
  for (const auto& [name, wanted] : all.items()) {
    const DataShape photos{.channels = 3, .rows = 224, .columns = 224, .classes = 1000};
    const auto model = make_model({.name = name}, photos, 1);
    std::int64_t count = 0;
    std::vector<std::string> names;
    for (const auto& item : model->named_parameters()) {
      count += item.value().numel();
      names.push_back(item.key());
    }
    for (const auto& item : model->named_buffers()) names.push_back(item.key());
    std::ranges::sort(names);
    std::string text;
    for (const std::string& each : names) text += (text.empty() ? "" : "\n") + each;
    EXPECT_EQ(count, wanted["count"].get<std::int64_t>()) << name;
    EXPECT_EQ(crc32_of(text), wanted["names_crc32"].get<std::uint32_t>()) << name << "\n" << text;
  }
}

TEST(ResNet, ScoresAsTorchvisionsDoes) {
  const DataShape photos{.channels = 3, .rows = 96, .columns = 96, .classes = 10};
  const at::Tensor images = wave(2 * 3 * 96 * 96, 0.013).view({2, 3, 96, 96}).to(at::kFloat);
  for (const char* name : {"resnet18", "resnet50"}) {
    expect_scores(name, *filled_model({.name = name}, photos), {images, {}, {}});
  }
}

TEST(CharGpt, ScoresAsTheReferenceDoes) {
  const auto model =
      filled_model({.name = "char-gpt", .width = 24, .layers = 2, .heads = 4},
                   {.kind = SampleKind::kWindows, .columns = 16, .vocabulary = 31, .classes = 31});
  expect_scores("char-gpt", *model, {tokens(2, 16, 31), {}, {}});
}

TEST(TextClassifier, ScoresPaddedTextsAsTheReferenceDoesUnpaddedOnes) {
  const auto model = filled_model({.name = "text-classifier", .width = 12, .layers = 2},
                                  {.kind = SampleKind::kTexts, .vocabulary = 31, .classes = 5});
  expect_scores("text-classifier", *model,
                {tokens(3, 9, 31), {}, at::tensor(std::vector<std::int64_t>{9, 4, 1})});
}

}  // namespace
}  // namespace lockstep
