// Blends whole images, or pastes a box.
#include "trainer/optim/mixed_batch.h"

#include "trainer/torch.h"

namespace lockstep {
namespace {

at::Tensor blended(const at::Tensor& samples, const at::Tensor& partners, double share) {
  return samples * share + partners * (1 - share);
}

at::Tensor pasted(const at::Tensor& images, const at::Tensor& partners, const Box& box) {
  const auto inside = [&box](const at::Tensor& all) {
    return all.slice(-2, box.top, box.bottom).slice(-1, box.left, box.right);
  };
  const at::Tensor result = images.clone();
  inside(result).copy_(inside(partners));
  return result;
}

}  // namespace

MixedBatch mixed(const at::Tensor& images, const at::Tensor& labels, std::int64_t classes,
                 const Mix& mix) {
  if (mix.mixing == Mixing::kNone) return {images, labels};
  const at::NoGradGuard no_grad;
  const at::Tensor partners = images.flip(0);
  const at::Tensor targets = at::one_hot(labels, classes).to(at::kFloat);
  return {mix.mixing == Mixing::kMixup ? blended(images, partners, mix.share)
                                       : pasted(images, partners, mix.box),
          blended(targets, targets.flip(0), mix.share)};
}

}  // namespace lockstep
