// Mixing images and targets.
#include "trainer/optim/mixed_batch.h"

#include <gtest/gtest.h>

#include "trainer/torch.h"

namespace lockstep {
namespace {

// Image i is all i, of class i.
const at::Tensor kImages = at::arange(3, at::kFloat).view({3, 1, 1, 1}).expand({3, 2, 4, 5});
const at::Tensor kLabels = at::arange(3, at::kLong);

TEST(Mixed, LeavesABatchAloneWhenNothingIsMixed) {
  const MixedBatch batch = mixed(kImages, kLabels, 4, {});
  EXPECT_TRUE(batch.images.is_same(kImages));
  EXPECT_TRUE(batch.targets.is_same(kLabels));
}

TEST(Mixed, BlendsWholeImagesWithTheirPartners) {
  const MixedBatch batch = mixed(kImages, kLabels, 4, {Mixing::kMixup, 0.75});
  EXPECT_TRUE(batch.images[0].eq(0.5).all().item<bool>()) << "a quarter of image 2";
  EXPECT_TRUE(batch.images[1].eq(1).all().item<bool>()) << "its own partner";
  EXPECT_TRUE(batch.targets.equal(
      at::tensor({0.75f, 0.f, 0.25f, 0.f, 0.f, 1.f, 0.f, 0.f, 0.25f, 0.f, 0.75f, 0.f})
          .view({3, 4})));
}

TEST(Mixed, PastesABoxOfThePartner) {
  const MixedBatch batch = mixed(kImages, kLabels, 3, {Mixing::kCutmix, 0.7, {1, 3, 2, 5}});
  const at::Tensor expected = at::zeros({4, 5});
  expected.slice(0, 1, 3).slice(1, 2, 5).fill_(2);
  EXPECT_TRUE(batch.images[0][0].equal(expected));
  EXPECT_TRUE(batch.images[0][1].equal(expected)) << "every channel";
  EXPECT_FLOAT_EQ(batch.targets[0][2].item<float>(), 0.3f);
  EXPECT_EQ(kImages.sum().item<float>(), 120) << "the given images are not written";
}

TEST(Mixed, GivesTargetsThatCrossEntropyTakes) {
  const at::Tensor scores = at::randn({3, 4});
  const MixedBatch batch = mixed(kImages, kLabels, 4, {Mixing::kMixup, 1});
  EXPECT_TRUE(at::cross_entropy_loss(scores, batch.targets)
                  .allclose(at::cross_entropy_loss(scores, kLabels)));
}

}  // namespace
}  // namespace lockstep
