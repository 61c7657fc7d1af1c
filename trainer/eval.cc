// Sums per batch, exchanged exactly, added in order.
#include "trainer/eval.h"

#include <numeric>

#include "trainer/data/exact_eval.h"
#include "trainer/data/ordered_prefetch.h"
#include "trainer/loss.h"
#include "trainer/torch.h"

namespace lockstep {
namespace {

enum Metric { kLoss, kCorrect, kTop5, kPredictions, kMetricCount };

Batch batch_of(const Dataset& data, const EvalBatch& cut) {
  std::vector<std::int64_t> indices(static_cast<std::size_t>(cut.last - cut.first));
  std::iota(indices.begin(), indices.end(), cut.first);
  return data.batch(indices, /*variation=*/std::nullopt);
}

void record(BatchSums& sums, std::int64_t batch, const BatchScores& scores) {
  sums.record(batch, kLoss, scores.loss);
  sums.record(batch, kCorrect, scores.correct);
  sums.record(batch, kTop5, scores.top5);
  sums.record(batch, kPredictions, scores.predictions);
}

void add_over_ranks(BatchSums& sums, Group& group) {
  const auto cells = sums.cells();
  const at::Tensor own = at::from_blob(cells.data(), {static_cast<std::int64_t>(cells.size())},
                                       at::dtype(at::kDouble));
  const at::Tensor total = own.to(group.device());
  group.all_reduce(total);
  own.copy_(total);
}

}  // namespace

Evaluation evaluate(Model& model, const Dataset& data, const EvaluationSettings& settings,
                    Group& group, const std::function<void()>& on_batch) {
  const at::NoGradGuard no_grad;
  model.eval();
  const ExactEval cuts(data.size(), settings.batch_size, group.size(), group.rank());
  OrderedPrefetch<Batch> batches(
      [&](std::int64_t position) { return batch_of(data, cuts[position]); },
      data.is_quick() ? 0 : settings.threads, std::int64_t{settings.threads} * settings.ahead,
      {0, cuts.size()});
  BatchSums sums(cuts.batch_count(), kMetricCount);
  for (std::int64_t position = 0; position < cuts.size(); ++position) {
    const Batch batch = moved_to(group.device(), batches.next());
    record(sums, cuts[position].index, score(model.forward(batch), batch.targets));
    on_batch();
  }
  add_over_ranks(sums, group);
  const std::vector<double> totals = sums.totals();
  const double predictions = totals[kPredictions];
  return {totals[kLoss] / predictions, totals[kCorrect] / predictions, totals[kTop5] / predictions};
}

}  // namespace lockstep
