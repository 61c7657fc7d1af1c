// Fixed batches dealt to ranks in turn, and the table that sums them in batch order.
#include "trainer/data/exact_eval.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace lockstep {

ExactEval::ExactEval(std::int64_t dataset_size, std::int64_t batch_size, int world_size, int rank)
    : dataset_size_(dataset_size),
      batch_size_(batch_size),
      batch_count_(0),
      world_size_(world_size),
      rank_(rank) {
  if (dataset_size < 1) throw std::invalid_argument("the evaluation dataset is empty");
  if (batch_size < 1) {
    throw std::invalid_argument("evaluation batch size " + std::to_string(batch_size) +
                                " is not possible: use 1 or more");
  }
  if (rank < 0 || rank >= world_size) {
    throw std::invalid_argument("rank " + std::to_string(rank) + " is outside a world of " +
                                std::to_string(world_size));
  }
  batch_count_ = (dataset_size - 1) / batch_size + 1;
}

std::int64_t ExactEval::size() const {
  return (batch_count_ - rank_ + world_size_ - 1) / world_size_;
}

EvalBatch ExactEval::operator[](std::int64_t position) const {
  const std::int64_t index = position * world_size_ + rank_;
  const std::int64_t first = index * batch_size_;
  return {index, first, first + std::min(batch_size_, dataset_size_ - first)};
}

BatchSums::BatchSums(std::int64_t batch_count, std::int64_t metric_count)
    : metric_count_(metric_count) {
  if (batch_count < 0 || metric_count < 0) {
    throw std::invalid_argument("a table of sums cannot have a negative size");
  }
  cells_.resize(batch_count * metric_count);
}

void BatchSums::record(std::int64_t batch, std::int64_t metric, double sum) {
  if (metric < 0 || metric >= metric_count_) {
    throw std::out_of_range("metric " + std::to_string(metric) + " is not in the table of sums");
  }
  cells_.at(batch * metric_count_ + metric) = sum;
}

std::vector<double> BatchSums::totals() const {
  std::vector<double> totals(metric_count_, 0.0);
  for (std::size_t cell = 0; cell < cells_.size(); ++cell) {
    totals[cell % metric_count_] += cells_[cell];
  }
  return totals;
}

}  // namespace lockstep
