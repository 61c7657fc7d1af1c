// Loss scaling against torch.amp.GradScaler (golden/make_training_aid_goldens.py), and its floor.
#include "trainer/optim/grad_scaler.h"

#include <gtest/gtest.h>

#include "tests/trainer/optim/golden.h"
#include "trainer/torch.h"

namespace lockstep {
namespace {

using nlohmann::json;

float factor_of(const json& step) {
  return step["factor"].is_string() ? std::stof(step["factor"].get<std::string>())
                                    : step["factor"].get<float>();
}

std::vector<at::Tensor> state_of(const GradScaler& scaler) {
  return {scaler.state()[0].second, scaler.state()[1].second};
}

// One step of a weight whose loss is factor * weight.
bool run_step(GradScaler& scaler, const at::Tensor& weight, float factor) {
  weight.mutable_grad() = at::Tensor();
  scaler.scaled(weight.sum()).backward();
  weight.mutable_grad().mul_(factor);
  const bool is_finite = scaler.unscale({weight, at::zeros({2})});
  scaler.update();
  return is_finite;
}

TEST(GradScaler, DecidesAndAdaptsAsTorchs) {
  const json all = testing::golden("training_aids.json");
  for (const json& expected : all["scalers"]) {
    GradScaler scaler(at::kCPU, {.initial = expected["initial"],
                                 .growth_interval = expected["growth_interval"],
                                 .least = 1e-30});
    const at::Tensor weight = at::zeros({1}).requires_grad_();
    for (const json& step : expected["steps"]) {
      EXPECT_EQ(run_step(scaler, weight, factor_of(step)), step["factor"].is_number());
      EXPECT_EQ(state_of(scaler)[0].item<double>(), step["scale"].get<double>());
      EXPECT_EQ(state_of(scaler)[1].item<int>(), step["growth_tracker"].get<int>());
      if (step["factor"].is_number()) {
        EXPECT_NEAR(weight.grad().item<double>(), step["moved"].get<double>(), 1e-5);
      }
    }
  }
}

TEST(GradScaler, NeverFallsBelowItsFloor) {
  GradScaler scaler(at::kCPU, {.initial = 8, .least = 2});
  const at::Tensor weight = at::zeros({1}).requires_grad_();
  for (const double scale : {4, 2, 2, 2}) {
    EXPECT_FALSE(run_step(scaler, weight, std::numeric_limits<float>::infinity()));
    EXPECT_EQ(state_of(scaler)[0].item<double>(), scale);
  }
}

TEST(GradScaler, GoesOnFromItsSavedState) {
  GradScaler first(at::kCPU, {.initial = 16, .growth_interval = 3});
  const at::Tensor weight = at::zeros({1}).requires_grad_();
  run_step(first, weight, 1);
  run_step(first, weight, 1);
  GradScaler second(at::kCPU, {.growth_interval = 3});
  for (int i = 0; i < 2; ++i) state_of(second)[i].copy_(state_of(first)[i]);
  run_step(second, weight, 1);
  EXPECT_EQ(state_of(second)[0].item<float>(), 32) << "the third finite step in a row";
}

}  // namespace
}  // namespace lockstep
