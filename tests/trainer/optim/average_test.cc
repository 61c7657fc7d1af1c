// Averaged weights against torch's AveragedModel (golden/make_training_aid_goldens.py).
#include "trainer/optim/average.h"

#include <gtest/gtest.h>

#include "tests/trainer/optim/golden.h"
#include "trainer/torch.h"

namespace lockstep {
namespace {

void fill(torch::nn::Module& model, double value) {
  const at::NoGradGuard no_grad;
  for (const at::Tensor& parameter : model.parameters()) parameter.fill_(value);
}

float value_of(const Average& average) {
  return average.state().front().second.flatten()[0].item<float>();
}

TEST(Average, IsTorchsAveragedModel) {
  const auto all = testing::golden("training_aids.json");
  for (const auto& expected : all["averages"]) {
    torch::nn::Linear model(1, 1);
    Average average(*model, {.ema_decay = expected["decay"]});
    for (int i = 0; i < 30; ++i) {
      fill(*model, i * i);
      average.update(i);
      EXPECT_FLOAT_EQ(value_of(average), expected["averages"][i].get<float>()) << i;
    }
  }
}

TEST(Average, IsShortAtFirstWithAWarmUp) {
  torch::nn::Linear model(1, 1);
  Average average(*model, {.ema_decay = 0.5, .ema_warmup = true});
  const double decays[] = {0,        2 / 11.0, 3 / 12.0, 4 / 13.0, 5 / 14.0,
                           6 / 15.0, 7 / 16.0, 8 / 17.0, 0.5,      0.5};
  double expected = 0;
  for (int i = 0; i < 10; ++i) {
    fill(*model, i + 1);
    average.update(i);
    expected = decays[i] * expected + (1 - decays[i]) * (i + 1);
    EXPECT_NEAR(value_of(average), expected, 1e-5) << i;
  }
}

TEST(Average, LendsTheModelItsWeightsAndTakesThemBack) {
  const torch::nn::Sequential model(torch::nn::Linear(3, 2), torch::nn::BatchNorm1d(2));
  Average average(*model, {.ema_decay = 0.9});
  const at::Tensor own = model->parameters()[0].detach().clone();
  const void* const place = model->parameters()[0].data_ptr();
  for (const auto& [name, tensor] : average.state()) tensor.fill_(0.25);
  {
    const Average::InModel lent(average);
    for (const at::Tensor& parameter : model->parameters()) {
      EXPECT_TRUE(parameter.eq(0.25).all().item<bool>());
    }
  }
  EXPECT_TRUE(model->parameters()[0].equal(own));
  EXPECT_EQ(model->parameters()[0].data_ptr(), place);
  EXPECT_EQ(value_of(average), 0.25f);
}

TEST(Average, ShowsItsStateUnderTheParametersNames) {
  const torch::nn::Sequential model(torch::nn::Linear(3, 2), torch::nn::BatchNorm1d(2));
  const auto state = Average(*model, {.ema_decay = 0.9}).state();
  ASSERT_EQ(state.size(), 4u);
  EXPECT_EQ(state[3].first, "1.bias");
}

}  // namespace
}  // namespace lockstep
