// Evaluation against the same figures taken in one go, and the mean loss.
#include <gtest/gtest.h>

#include <limits>

#include "trainer/data/source.h"
#include "trainer/errors.h"
#include "trainer/eval.h"
#include "trainer/group/backend.h"
#include "trainer/mean_loss.h"
#include "trainer/torch.h"

namespace lockstep {
namespace {

TEST(Evaluate, CountsEachSampleOnceWhateverTheBatch) {
  const ImageSet data(synthetic_dataset(103, 10, 1), 0.3, 0.3, at::kCPU);
  const auto model = make_model({.name = "lenet"}, {28, 28}, 1);
  const auto group = make_single(at::kCPU);
  model->eval();
  const at::NoGradGuard no_grad;
  const Batch all = data.range(0, 103);
  const at::Tensor scores = model->forward(all.images);
  const double loss = at::cross_entropy_loss(scores, all.labels).item<double>();
  const double accuracy = scores.argmax(1).eq(all.labels).to(at::kDouble).mean().item<double>();
  for (const std::int64_t batch_size : {1, 10, 103, 1000}) {
    const Evaluation evaluation = evaluate(*model, data, batch_size, *group);
    EXPECT_NEAR(evaluation.loss, loss, 1e-5) << batch_size;
    EXPECT_DOUBLE_EQ(evaluation.accuracy, accuracy) << batch_size;
  }
}

TEST(MeanLoss, WeighsByTheNumberOfSamples) {
  const auto group = make_single(at::kCPU);
  MeanLoss loss(at::kCPU);
  EXPECT_TRUE(loss.is_empty());
  loss.add(torch::tensor(1.0f), 30);
  loss.add(torch::tensor(4.0f), 10);
  EXPECT_DOUBLE_EQ(loss.take(*group, 2), 1.75);
  EXPECT_TRUE(loss.is_empty());
  loss.add(torch::tensor(2.0f), 10);
  EXPECT_DOUBLE_EQ(loss.take(*group, 3), 2.0);
}

TEST(MeanLoss, RefusesWhatIsNoNumber) {
  const auto group = make_single(at::kCPU);
  MeanLoss loss(at::kCPU);
  loss.add(torch::tensor(std::numeric_limits<float>::quiet_NaN()), 1);
  loss.add(torch::tensor(1.0f), 1);
  EXPECT_THROW(loss.take(*group, 2), Diverged);
}

}  // namespace
}  // namespace lockstep
