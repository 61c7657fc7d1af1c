// Our fused step against LibTorch's own optimizer, which takes one tensor at a time.
#include "trainer/optim/sgd.h"

#include <gtest/gtest.h>
#include <torch/optim/sgd.h>

#include "trainer/torch.h"

namespace lockstep {
namespace {

torch::nn::Sequential small_model() {
  torch::manual_seed(3);
  return torch::nn::Sequential(torch::nn::Linear(7, 5), torch::nn::Tanh(), torch::nn::Linear(5, 3));
}

// Runs five steps of `update(rate)` with gradients of the same data.
template <typename Update>
void run_steps(torch::nn::Sequential model, const Update& update) {
  const at::Tensor input = at::linspace(-1, 1, 28).view({4, 7});
  for (int step = 0; step < 5; ++step) {
    model->zero_grad();
    model->forward(input).pow(2).mean().backward();
    update(0.5 / (step + 1));
  }
}

TEST(Sgd, EqualsTorchOptimSgd) {
  struct Case {
    double momentum;
    bool nesterov;
    double weight_decay;
  };
  for (const Case& settings : {Case{0, false, 0}, Case{0.9, false, 0}, Case{0.9, true, 0},
                               Case{0.9, false, 0.01}, Case{0.8, true, 0.1}, Case{0, false, 0.1}}) {
    torch::nn::Sequential ours = small_model(), theirs = small_model();
    Sgd optimizer(*ours, {.momentum = settings.momentum,
                          .nesterov = settings.nesterov,
                          .weight_decay = settings.weight_decay});
    torch::optim::SGD reference(theirs->parameters(), torch::optim::SGDOptions(1)
                                                          .momentum(settings.momentum)
                                                          .nesterov(settings.nesterov)
                                                          .weight_decay(settings.weight_decay));
    run_steps(ours, [&](double rate) { optimizer.step(rate); });
    run_steps(theirs, [&](double rate) {
      reference.param_groups().front().options().set_lr(rate);
      reference.step();
    });
    for (std::size_t i = 0; i < ours->parameters().size(); ++i) {
      EXPECT_LE((ours->parameters()[i] - theirs->parameters()[i]).abs().max().item<float>(), 1e-6)
          << "momentum " << settings.momentum << " nesterov " << settings.nesterov << " decay "
          << settings.weight_decay;
    }
  }
}

TEST(Sgd, ShowsItsVelocitiesByName) {
  torch::nn::Sequential model = small_model();
  const auto state = Sgd(*model, {.momentum = 0.9}).state();
  ASSERT_EQ(state.size(), 4u);
  EXPECT_EQ(state.front().first, "0.weight.momentum_buffer");
  EXPECT_TRUE(Sgd(*model, {.momentum = 0}).state().empty());
}

TEST(Sgd, NamesAParameterWithoutGradient) {
  torch::nn::Sequential model = small_model();
  Sgd optimizer(*model, {});
  EXPECT_THROW(optimizer.step(0.1), std::logic_error);
}

}  // namespace
}  // namespace lockstep
