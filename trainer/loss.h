// The loss that training lowers: mean cross-entropy, in nats.
#pragma once

#include <ATen/core/Tensor.h>

namespace lockstep {

// Scores before softmax [..., classes] against class indices [...] or probabilities [..., classes]
// of the same leading dimensions; a scalar. `label_smoothing` spreads that share of each target
// over all classes (Szegedy et al., arXiv 1512.00567).
at::Tensor mean_cross_entropy(const at::Tensor& scores, const at::Tensor& targets,
                              double label_smoothing = 0);

// What an evaluation adds up over a batch of class indices.
struct BatchScores {
  double loss = 0;         // sum over the predictions
  double correct = 0;      // predictions whose target has the highest score
  double top5 = 0;         // whose target is among the five highest
  double predictions = 0;  // how many: samples, or tokens
};
BatchScores score(const at::Tensor& scores, const at::Tensor& targets);

}  // namespace lockstep
