// 200 steps of a small network against the same under Python's torch.optim, bit for bit
// (golden/make_optimizer_goldens.py). LOCKSTEP_PARITY_DIR names a folder with a file made just now.
#include <ATen/Version.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <bit>
#include <cstdio>
#include <cstdlib>

#include "tests/trainer/optim/golden.h"
#include "trainer/optim/clip.h"
#include "trainer/optim/optimizer.h"
#include "trainer/torch.h"

namespace lockstep {
namespace {

using nlohmann::json;
using Bits = std::vector<std::uint32_t>;

constexpr int kSteps = 200, kInputs = 12, kHidden = 16, kClasses = 4, kSamples = 64, kBatch = 16;

struct Course {
  Bits losses, norms;
  std::uint32_t parameters = 0;  // CRC-32
};

// The script's ramp().
at::Tensor ramp(std::int64_t count, std::uint32_t seed) {
  const at::Tensor values = at::empty({count});
  for (std::int64_t i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    values.mutable_data_ptr<float>()[i] = static_cast<float>((seed >> 16) / 65536.0 - 0.5);
  }
  return values;
}

torch::nn::Sequential network() {
  torch::nn::Sequential model(torch::nn::Linear(kInputs, kHidden), torch::nn::Tanh(),
                              torch::nn::Linear(kHidden, kClasses));
  const at::NoGradGuard no_grad;
  std::uint32_t seed = 0;
  for (const at::Tensor& parameter : model->parameters()) {
    parameter.copy_(ramp(parameter.numel(), seed++).view_as(parameter));
  }
  return model;
}

OptimConfig config_of(const json& settings) {
  return {.name = settings["name"],
          .lr = settings["lr"],
          .momentum = settings.value("momentum", 0.0),
          .dampening = settings.value("dampening", 0.0),
          .nesterov = settings.value("nesterov", false),
          .beta1 = settings.value("beta1", 0.9),
          .beta2 = settings.value("beta2", 0.999),
          .eps = settings.value("eps", 1e-8),
          .weight_decay = settings.value("weight_decay", 0.0),
          .decay_norm_and_bias = settings.value("decay_norm_and_bias", true)};
}

std::uint32_t bits_of(const at::Tensor& scalar) {
  return std::bit_cast<std::uint32_t>(scalar.item<float>());
}

// A copy of the optimizer's state goes through a fresh optimizer, as a checkpoint would take it.
Optimizer resumed(const Optimizer& from, const torch::nn::Sequential& model,
                  const OptimConfig& config) {
  Optimizer optimizer(*model, config);
  const auto saved = from.state(), fresh = optimizer.state();
  for (std::size_t i = 0; i < saved.size(); ++i) fresh[i].second.copy_(saved[i].second);
  return optimizer;
}

class Training {
 public:
  explicit Training(const json& settings)
      : settings_(settings), config_(config_of(settings)), optimizer_(*model_, config_) {
    inputs_ = ramp(kSamples * kInputs, 77).view({kSamples, kInputs}) * 4;
    const auto column = [&](int i) { return inputs_.select(1, i); };
    labels_ = column(0).gt(0).to(at::kLong) * 2 + (column(1) * column(2)).gt(0).to(at::kLong);
  }

  // If it `resumes`, from copies of its state after the first step and in the middle.
  Course run(bool resumes) {
    for (int step = 0; step < kSteps; ++step) {
      if (resumes && (step == 1 || step == 77)) optimizer_ = resumed(optimizer_, model_, config_);
      model_->zero_grad();
      backward(step);
      clip();
      optimizer_.step(config_.lr * (1 - step / (2.0 * kSteps)));
    }
    std::vector<at::Tensor> flat;
    for (const at::Tensor& parameter : model_->parameters()) flat.push_back(parameter.flatten());
    const at::Tensor all = at::cat(flat).detach();
    course_.parameters = crc32_z(0, static_cast<const Bytef*>(all.const_data_ptr()), all.nbytes());
    return course_;
  }

 private:
  void backward(int step) {
    const int pieces = settings_.value("accumulate", 1);
    for (int piece = 0; piece < pieces; ++piece) {
      const int first = (step * pieces + piece) % 4 * kBatch;
      const at::Tensor loss = at::cross_entropy_loss(
          model_->forward(inputs_.narrow(0, first, kBatch)), labels_.narrow(0, first, kBatch));
      (loss / pieces).backward();
      course_.losses.push_back(bits_of(loss));
    }
  }

  void clip() {
    if (settings_.contains("clip_norm")) {
      course_.norms.push_back(
          bits_of(clip_gradient_norm(optimizer_.parameters(), settings_["clip_norm"])));
    }
    if (settings_.contains("clip_value")) {
      clip_gradient_values(optimizer_.parameters(), settings_["clip_value"]);
    }
  }

  json settings_;
  OptimConfig config_;
  torch::nn::Sequential model_ = network();
  Optimizer optimizer_;
  at::Tensor inputs_, labels_;
  Course course_;
};

// Python's figures, taken on this machine a moment ago (`make_optimizer_goldens.py DIR`), or
// stored.
bool is_live() { return std::getenv("LOCKSTEP_PARITY_DIR") != nullptr; }

json golden() {
  return testing::golden("optimizers.json",
                         is_live() ? std::getenv("LOCKSTEP_PARITY_DIR") : GOLDEN_DIR);
}

// The network's matrix products round as the processor and its library please, and training
// amplifies that: the first steps are near those of another machine, bits are equal on the same.
void expect_equal(const Bits& ours, const Bits& theirs) {
  if (is_live()) {
    EXPECT_EQ(ours, theirs);
    return;
  }
  ASSERT_EQ(ours.size(), theirs.size());
  constexpr std::size_t kFirst = 20;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const float expected = std::bit_cast<float>(theirs[i]);
    const double allowed = i < kFirst ? 1e-5 + 1e-4 * expected : 1e-3 + 1e-2 * expected;
    EXPECT_NEAR(std::bit_cast<float>(ours[i]), expected, allowed) << i;
  }
}

TEST(Optimizer, TakesPythonsSteps) {
  at::set_num_threads(1);
  const json all = golden();
  std::size_t equal = 0;
  for (const json& expected : all["cases"]) {
    SCOPED_TRACE(expected["settings"].dump());
    const Course course = Training(expected["settings"]).run(/*resumes=*/false);
    expect_equal(course.losses, expected["losses"].get<Bits>());
    expect_equal(course.norms, expected["norms"].get<Bits>());
    const bool is_equal = course.parameters == expected["parameters"].get<std::uint32_t>();
    EXPECT_TRUE(is_equal || !is_live());
    equal += is_equal ? 1 : 0;
  }
  std::printf("%zu of %zu courses end with Python's parameters, bit for bit\n", equal,
              all["cases"].size());
}

TEST(Optimizer, GoesOnBitForBitFromItsSavedState) {
  at::set_num_threads(1);
  const json all = golden();
  for (const json& expected : all["cases"]) {
    const json& settings = expected["settings"];
    EXPECT_EQ(Training(settings).run(/*resumes=*/true).parameters,
              Training(settings).run(/*resumes=*/false).parameters)
        << settings;
  }
}

}  // namespace
}  // namespace lockstep
