// Clipping by norm and value; equality with torch.nn.utils is in optimizer_parity_test.cc.
#include "trainer/optim/clip.h"

#include <gtest/gtest.h>

#include <limits>

#include "trainer/torch.h"

namespace lockstep {
namespace {

// Two parameters with gradients (3, 0) and (0, 4), of norm 5, and one without.
std::vector<at::Tensor> parameters() {
  std::vector<at::Tensor> result = {at::zeros({2}).requires_grad_(),
                                    at::zeros({1, 2}).requires_grad_(),
                                    at::zeros({5}).requires_grad_()};
  result[0].mutable_grad() = at::tensor({3.0f, 0.0f});
  result[1].mutable_grad() = at::tensor({0.0f, -4.0f}).view({1, 2});
  return result;
}

TEST(GradientNorm, IsThatOfAllGradientsTogether) {
  EXPECT_FLOAT_EQ(gradient_norm(parameters()).item<float>(), 5);
  EXPECT_EQ(gradient_norm({at::zeros({3})}).item<float>(), 0);
}

TEST(GradientNorm, IsNoNumberWhenAnyElementIsNone) {
  for (const float bad : {std::numeric_limits<float>::infinity(), std::nanf("")}) {
    const auto some = parameters();
    some[1].grad()[0][0] = bad;
    EXPECT_FALSE(std::isfinite(gradient_norm(some).item<float>()));
  }
}

TEST(ClipGradientNorm, ScalesDownToTheLimitAndSaysTheNormBefore) {
  const auto some = parameters();
  EXPECT_FLOAT_EQ(clip_gradient_norm(some, 0.5).item<float>(), 5);
  EXPECT_NEAR(gradient_norm(some).item<float>(), 0.5, 1e-6);
  EXPECT_NEAR(some[0].grad()[0].item<float>(), 0.3, 1e-6);
}

TEST(ClipGradientNorm, LeavesSmallGradientsAsTheyAre) {
  const auto some = parameters();
  clip_gradient_norm(some, 5.1);
  EXPECT_EQ(some[1].grad()[0][1].item<float>(), -4);
}

TEST(ClipGradientValues, LimitsEachElement) {
  const auto some = parameters();
  clip_gradient_values(some, 3.5);
  EXPECT_EQ(some[0].grad()[0].item<float>(), 3);
  EXPECT_EQ(some[1].grad()[0][1].item<float>(), -3.5);
}

}  // namespace
}  // namespace lockstep
