// Evaluation against the same figures taken in one go, and the mean loss.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "trainer/batches/image_set.h"
#include "trainer/batches/source.h"
#include "trainer/errors.h"
#include "trainer/eval.h"
#include "trainer/group/backend.h"
#include "trainer/mean_loss.h"
#include "trainer/model/registry.h"
#include "trainer/torch.h"

namespace lockstep {
namespace {

Images images_of(const IdxDataset& set) {
  return {.rows = set.rows,
          .columns = set.columns,
          .pixels = set.images,
          .labels = {set.labels.begin(), set.labels.end()}};
}

TEST(Evaluate, CountsEachSampleOnceWhateverTheBatch) {
  const ImageSet data(images_of(synthetic_dataset(103, 10, 1)), 10, {{0.3}, {0.3}}, at::kCPU);
  const auto model = make_model({.name = "lenet"}, {}, 1);
  const auto group = make_single(at::kCPU);
  model->eval();
  const at::NoGradGuard no_grad;
  std::vector<std::int64_t> all(103);
  std::iota(all.begin(), all.end(), 0);
  const Batch batch = data.batch(all, std::nullopt);
  const at::Tensor scores = model->forward(batch);
  const double loss = at::cross_entropy_loss(scores, batch.targets).item<double>();
  const auto share_within = [&](std::int64_t most) {
    const at::Tensor own = scores.gather(1, batch.targets.unsqueeze(1));
    return scores.gt(own).sum(1).lt(most).to(at::kDouble).mean().item<double>();
  };
  for (const std::int64_t batch_size : {1, 10, 103, 1000}) {
    const Evaluation evaluation = evaluate(*model, data, {.batch_size = batch_size}, *group);
    EXPECT_NEAR(evaluation.loss, loss, 1e-5) << batch_size;
    EXPECT_DOUBLE_EQ(evaluation.accuracy, share_within(1)) << batch_size;
    EXPECT_DOUBLE_EQ(evaluation.top5, share_within(5)) << batch_size;
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

TEST(MeanLoss, PassesOverStepsThatAreLeftOut) {
  const auto group = make_single(at::kCPU);
  MeanLoss loss(at::kCPU, /*passes_over_non_finite=*/true);
  const at::Tensor nan = torch::tensor(std::numeric_limits<float>::quiet_NaN());
  loss.add(nan, 5);
  loss.add(torch::tensor(3.0f), 10);
  EXPECT_DOUBLE_EQ(loss.take(*group, 2), 3.0);
  loss.add(nan, 5);
  EXPECT_TRUE(std::isnan(loss.take(*group, 3)));
}

}  // namespace
}  // namespace lockstep
