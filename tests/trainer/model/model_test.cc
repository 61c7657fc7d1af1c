// Shapes, sizes and reproducible weights of the built-in models.
#include "trainer/model/model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trainer/torch.h"

namespace lockstep {
namespace {

constexpr ImageShape kMnist{28, 28};

std::int64_t parameter_count(const Model& model) {
  std::int64_t count = 0;
  for (const at::Tensor& parameter : model.parameters()) count += parameter.numel();
  return count;
}

TEST(Model, MapsImagesToScores) {
  for (const char* name : {"mlp", "lenet"}) {
    const auto model = make_model({.name = name}, kMnist, 1);
    EXPECT_EQ(model->forward(at::zeros({3, 1, 28, 28})).sizes(), (std::vector<std::int64_t>{3, 10}))
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
  const auto one = make_model({.name = "lenet"}, kMnist, 5)->parameters();
  torch::randn({100});
  const auto two = make_model({.name = "lenet"}, kMnist, 5)->parameters();
  const auto other = make_model({.name = "lenet"}, kMnist, 6)->parameters();
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_TRUE(one[i].equal(two[i]));
  EXPECT_FALSE(one[0].equal(other[0]));
}

TEST(Model, NamesTheNearestWhenUnknown) {
  try {
    make_model({.name = "lennet"}, kMnist, 1);
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("did you mean lenet?"));
  }
}

TEST(Model, RefusesImagesTooSmallForItsConvolutions) {
  EXPECT_NO_THROW(make_model({.name = "lenet"}, {12, 12}, 1)->forward(at::zeros({2, 1, 12, 12})));
  EXPECT_THROW(make_model({.name = "lenet"}, {11, 28}, 1), std::invalid_argument);
}

}  // namespace
}  // namespace lockstep
