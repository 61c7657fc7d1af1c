// The learner's own part of a resume: what no tensor holds.
#include "trainer/learner.h"

#include <gtest/gtest.h>

#include <limits>

#include "trainer/errors.h"
#include "trainer/torch.h"

namespace lockstep {
namespace {

Learner learner_of(const torch::nn::Linear& model) {
  Config config;
  config.optim.skip_non_finite = 2;
  return Learner(*model, config, at::kCPU);
}

void step_without_number(Learner& learner, const torch::nn::Linear& model, std::int64_t step) {
  for (at::Tensor& parameter : model->parameters()) {
    parameter.mutable_grad() = at::full_like(parameter, std::numeric_limits<double>::quiet_NaN());
  }
  learner.update(0.1, step);
}

TEST(Learner, GoesOnCountingStepsWithoutNumberAfterAResume) {
  const torch::nn::Linear model(2, 2);
  Learner stopped = learner_of(model), resumed = learner_of(model);
  step_without_number(stopped, model, 0);
  step_without_number(stopped, model, 1);
  EXPECT_EQ(stopped.left_out_in_a_row(), 2);
  resumed.continue_after(stopped.left_out_in_a_row());
  EXPECT_THROW(step_without_number(resumed, model, 2), Diverged);
}

}  // namespace
}  // namespace lockstep
