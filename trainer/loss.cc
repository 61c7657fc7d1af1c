// Cross-entropy over the last dimension, whatever stands in front of it.
#include "trainer/loss.h"

#include <algorithm>

#include "trainer/torch.h"

namespace lockstep {
namespace {

constexpr std::int64_t kIgnored = -100;  // LibTorch's default: no target is
constexpr std::int64_t kTop = 5;

at::Tensor rows(const at::Tensor& scores) { return scores.flatten(0, -2); }

at::Tensor rows_of_targets(const at::Tensor& targets, const at::Tensor& scores) {
  return targets.is_floating_point() ? rows(targets) : targets.reshape({rows(scores).size(0)});
}

}  // namespace

at::Tensor mean_cross_entropy(const at::Tensor& scores, const at::Tensor& targets,
                              double label_smoothing) {
  return at::cross_entropy_loss(rows(scores), rows_of_targets(targets, scores), {},
                                at::Reduction::Mean, kIgnored, label_smoothing);
}

BatchScores score(const at::Tensor& scores, const at::Tensor& targets) {
  const at::Tensor by_class = rows(scores).to(at::kFloat);
  const at::Tensor wanted = targets.flatten();
  const at::Tensor loss = at::cross_entropy_loss(by_class, wanted, {}, at::Reduction::Sum);
  const std::int64_t top = std::min(kTop, by_class.size(1));
  const at::Tensor best = std::get<1>(by_class.topk(top, /*dim=*/1));  // highest first
  const at::Tensor hits = best.eq(wanted.unsqueeze(1));
  return {loss.item<double>(), hits.select(1, 0).sum().item<double>(), hits.sum().item<double>(),
          static_cast<double>(wanted.numel())};
}

}  // namespace lockstep
