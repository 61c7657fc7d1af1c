// Sums per batch, exchanged exactly, added in order.
#include "trainer/eval.h"

#include "trainer/data/exact_eval.h"
#include "trainer/torch.h"

namespace lockstep {
namespace {

enum Metric { kLoss, kCorrect, kMetricCount };

void add_over_ranks(BatchSums& sums, Group& group) {
  const auto cells = sums.cells();
  const at::Tensor own = at::from_blob(cells.data(), {static_cast<std::int64_t>(cells.size())},
                                       at::dtype(at::kDouble));
  const at::Tensor total = own.to(group.device());
  group.all_reduce(total);
  own.copy_(total);
}

}  // namespace

Evaluation evaluate(Model& model, const ImageSet& data, std::int64_t batch_size, Group& group,
                    const std::function<void()>& on_batch) {
  const at::NoGradGuard no_grad;
  model.eval();
  const ExactEval batches(data.size(), batch_size, group.size(), group.rank());
  BatchSums sums(batches.batch_count(), kMetricCount);
  for (std::int64_t position = 0; position < batches.size(); ++position) {
    const EvalBatch cut = batches[position];
    const Batch batch = data.range(cut.first, cut.last);
    const at::Tensor scores = model.forward(batch.images);
    const at::Tensor loss = at::cross_entropy_loss(scores, batch.labels, {}, at::Reduction::Sum);
    const at::Tensor correct = scores.argmax(1).eq(batch.labels).sum();
    sums.record(cut.index, kLoss, loss.item<double>());
    sums.record(cut.index, kCorrect, correct.item<double>());
    on_batch();
  }
  add_over_ranks(sums, group);
  const std::vector<double> totals = sums.totals();
  const auto samples = static_cast<double>(data.size());
  return {totals[kLoss] / samples, totals[kCorrect] / samples};
}

}  // namespace lockstep
