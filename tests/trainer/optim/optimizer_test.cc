// What an optimizer keeps, passes over and refuses; the arithmetic is in optimizer_parity_test.cc.
#include "trainer/optim/optimizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trainer/torch.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

torch::nn::Sequential small_model() {
  torch::manual_seed(3);
  return torch::nn::Sequential(torch::nn::Linear(3, 2), torch::nn::BatchNorm1d(2));
}

std::vector<std::string> state_names(const OptimConfig& config) {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : Optimizer(*small_model(), config).state()) {
    if (name.starts_with("0.weight.")) names.push_back(name.substr(9));
  }
  return names;
}

void fill_gradients(const torch::nn::Sequential& model, double value) {
  for (at::Tensor& parameter : model->parameters()) {
    parameter.mutable_grad() = at::full_like(parameter, value);
  }
}

TEST(Optimizer, ShowsItsStateUnderTorchsNames) {
  EXPECT_THAT(state_names({.name = "sgd", .momentum = 0}), IsEmpty());
  EXPECT_THAT(state_names({.name = "sgd", .momentum = 0.9}), ElementsAre("momentum_buffer"));
  EXPECT_THAT(state_names({.name = "sgd", .momentum = 0.9, .dampening = 0.1}),
              ElementsAre("momentum_buffer", "step"));
  EXPECT_THAT(state_names({.name = "adam"}), ElementsAre("exp_avg", "exp_avg_sq", "step"));
  EXPECT_THAT(state_names({.name = "adamw"}), ElementsAre("exp_avg", "exp_avg_sq", "step"));
}

TEST(Optimizer, CountsTheStepsOfEachParameter) {
  const torch::nn::Sequential model = small_model();
  Optimizer optimizer(*model, {.name = "adam"});
  fill_gradients(model, 1);
  optimizer.step(0.1);
  model->parameters().front().mutable_grad() = at::Tensor();
  optimizer.step(0.1);
  const auto state = optimizer.state();
  EXPECT_EQ(state[2].first, "0.weight.step");
  EXPECT_EQ(state[2].second.item<float>(), 1);
  EXPECT_EQ(state[5].first, "0.bias.step");
  EXPECT_EQ(state[5].second.item<float>(), 2);
}

TEST(Optimizer, LeavesAParameterWithoutGradientAlone) {
  const torch::nn::Sequential model = small_model();
  Optimizer optimizer(*model, {.name = "adamw", .weight_decay = 0.5});
  fill_gradients(model, 1);
  model->parameters()[1].mutable_grad() = at::Tensor();
  const at::Tensor bias = model->parameters()[1].detach().clone();
  optimizer.step(0.1);
  EXPECT_TRUE(model->parameters()[1].equal(bias));
}

TEST(Optimizer, RefusesToStepWithoutAnyGradient) {
  Optimizer optimizer(*small_model(), {});
  EXPECT_THROW(optimizer.step(0.1), std::logic_error);
}

TEST(Optimizer, DecaysNoNormAndNoBiasUnlessTold) {
  for (const char* name : {"sgd", "adamw"}) {
    const torch::nn::Sequential model = small_model();
    Optimizer optimizer(*model, {.name = name, .weight_decay = 0.5, .decay_norm_and_bias = false});
    fill_gradients(model, 0);
    const at::Tensor weight = model->parameters()[0].detach().clone();
    const at::Tensor bias = model->parameters()[1].detach().clone();
    optimizer.step(0.1);
    EXPECT_TRUE(model->parameters()[0].allclose(weight * 0.95)) << name;
    EXPECT_TRUE(model->parameters()[1].equal(bias)) << name;
    EXPECT_TRUE(model->parameters()[2].eq(1).all().item<bool>()) << name << ": norm's scale";
  }
}

TEST(Optimizer, LeavesFrozenParametersOut) {
  const torch::nn::Sequential model = small_model();
  model->parameters()[0].requires_grad_(false);
  const Optimizer optimizer(*model, {.momentum = 0.9});
  EXPECT_EQ(optimizer.parameters().size(), 3u);
  EXPECT_EQ(optimizer.state().front().first, "0.bias.momentum_buffer");
}

TEST(Optimizer, RefusesWhatItCannotOptimize) {
  EXPECT_THROW(Optimizer(*small_model(), {.name = "lion"}), std::invalid_argument);
  EXPECT_THROW(Optimizer(*torch::nn::Tanh(), {}), std::invalid_argument);
}

}  // namespace
}  // namespace lockstep
