// Shapes, sizes and reproducible weights of the built-in models.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trainer/model/registry.h"
#include "trainer/torch.h"

namespace lockstep {
namespace {

const DataShape kMnist{};
const DataShape kSmallText{
    .kind = SampleKind::kWindows, .columns = 16, .vocabulary = 31, .classes = 31};

Batch batch_of(const at::Tensor& inputs, const at::Tensor& lengths = {}) {
  return {.inputs = inputs, .targets = {}, .lengths = lengths};
}

std::int64_t parameter_count(const Model& model) {
  std::int64_t count = 0;
  for (const at::Tensor& parameter : model.parameters()) count += parameter.numel();
  return count;
}

std::string refusal(const ModelConfig& config, const DataShape& shape) {
  try {
    make_model(config, shape, 1);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(Model, MapsImagesToScores) {
  for (const char* name : {"mlp", "lenet", "resnet18", "resnet50"}) {
    const auto model = make_model({.name = name}, kMnist, 1);
    EXPECT_EQ(model->forward(batch_of(at::zeros({3, 1, 28, 28}))).sizes(),
              (std::vector<std::int64_t>{3, 10}))
        << name;
  }
}

// 784 * 128 + 128 + 128 * 10 + 10; LeNet-5's published 61,706 and a scale and shift per map.
TEST(Model, HasThePublishedNumberOfParameters) {
  EXPECT_EQ(parameter_count(*make_model({.name = "mlp"}, kMnist, 1)), 101770);
  EXPECT_EQ(parameter_count(*make_model({.name = "lenet", .batch_norm = false}, kMnist, 1)), 61706);
  EXPECT_EQ(parameter_count(*make_model({.name = "lenet"}, kMnist, 1)), 61706 + 2 * (6 + 16));
}

TEST(Model, TakesAnyNumberOfHiddenLayers) {
  EXPECT_EQ(parameter_count(*make_model({.name = "mlp", .hidden = {}}, kMnist, 1)), 7850);
  EXPECT_EQ(make_model({.name = "mlp", .hidden = {8, 4}}, kMnist, 1)->parameters().size(), 6u);
}

TEST(Model, HasBuffersOnlyWithBatchNorm) {
  EXPECT_EQ(make_model({.name = "lenet"}, kMnist, 1)->buffers().size(), 6u);
  EXPECT_TRUE(make_model({.name = "mlp"}, kMnist, 1)->buffers().empty());
}

TEST(Model, StartsFromItsSeedAlone) {
  for (const char* name : {"lenet", "resnet18"}) {
    const auto one = make_model({.name = name}, kMnist, 5)->parameters();
    torch::randn({100});
    const auto two = make_model({.name = name}, kMnist, 5)->parameters();
    const auto other = make_model({.name = name}, kMnist, 6)->parameters();
    for (std::size_t i = 0; i < one.size(); ++i) EXPECT_TRUE(one[i].equal(two[i]));
    EXPECT_FALSE(one[0].equal(other[0]));
  }
}

TEST(Model, NamesTheNearestWhenUnknown) {
  EXPECT_THAT(refusal({.name = "lennet"}, kMnist), testing::HasSubstr("did you mean lenet?"));
}

TEST(Model, RefusesDataOfAnotherKind) {
  DataShape texts = kSmallText;
  texts.kind = SampleKind::kTexts;
  const std::string windows_given = "but data.train holds windows of a long text";
  const std::string texts_given = "but data.train holds texts with labels";
  const std::string pictures_given = "but data.train holds pictures or rows of a table";
  EXPECT_THAT(refusal({.name = "resnet18"}, kSmallText), testing::HasSubstr(windows_given));
  EXPECT_THAT(refusal({.name = "mlp"}, texts), testing::HasSubstr(texts_given));
  EXPECT_THAT(refusal({.name = "char-gpt"}, kMnist), testing::HasSubstr(pictures_given));
  EXPECT_THAT(refusal({.name = "char-gpt"}, texts), testing::HasSubstr(texts_given));
  EXPECT_THAT(refusal({.name = "text-classifier"}, kSmallText), testing::HasSubstr(windows_given));
}

TEST(Model, RefusesImagesTooSmallForItsConvolutions) {
  DataShape shape{.rows = 12, .columns = 12};
  EXPECT_NO_THROW(
      make_model({.name = "lenet"}, shape, 1)->forward(batch_of(at::zeros({2, 1, 12, 12}))));
  shape.rows = 11;
  EXPECT_THAT(refusal({.name = "lenet"}, shape), testing::HasSubstr("at least 12 x 12"));
}

// A row per prefix: what comes later in a text must not change the scores before it.
TEST(CharGpt, SeesNothingThatComesLater) {
  const auto model = make_model({.name = "char-gpt", .width = 16}, kSmallText, 1);
  model->eval();
  const at::Tensor tokens = at::arange(16, at::kLong).unsqueeze(0);
  const at::Tensor all = model->forward(batch_of(tokens));
  for (const std::int64_t length : {1, 7, 15}) {
    const at::Tensor prefix = model->forward(batch_of(tokens.slice(1, 0, length)));
    EXPECT_TRUE(prefix.allclose(all.slice(1, 0, length), 1e-5, 1e-6)) << length;
  }
}

TEST(CharGpt, RefusesHeadsThatDoNotDivideItsWidth) {
  EXPECT_THAT(refusal({.name = "char-gpt", .width = 30, .heads = 4}, kSmallText),
              testing::HasSubstr("model.width 30 does not divide into 4 model.heads"));
}

// Padding is data of the batch, not of the text.
TEST(TextClassifier, ScoresATextAlikeHoweverItIsPadded) {
  DataShape shape = kSmallText;
  shape.kind = SampleKind::kTexts;
  shape.classes = 5;
  const auto model = make_model({.name = "text-classifier", .width = 8}, shape, 1);
  model->eval();
  const at::Tensor text = at::arange(5, at::kLong).unsqueeze(0);
  const at::Tensor length = at::full({1}, 5, at::kLong);
  const at::Tensor alone = model->forward(batch_of(text, length));
  const at::Tensor padded = at::constant_pad_nd(text, {0, 9}, 3);
  EXPECT_TRUE(model->forward(batch_of(padded, length)).allclose(alone, 1e-5, 1e-6));
}

}  // namespace
}  // namespace lockstep
