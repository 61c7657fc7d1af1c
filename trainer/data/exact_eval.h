// Evaluation that counts each sample once and gives the same bits at any world size.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace lockstep {

// Samples [first, last) of the dataset, in dataset order.
struct EvalBatch {
  std::int64_t index = 0;
  std::int64_t first = 0;
  std::int64_t last = 0;
  bool operator==(const EvalBatch&) const = default;
};

// Cuts the dataset into fixed batches that do not depend on the world size (the last may be
// smaller) and gives batch b to rank b % world_size. Ranks may get unequal counts, so the model
// must be run without collectives.
class ExactEval {
 public:
  // Throws invalid_argument for an empty dataset, a batch size or world size below 1, a rank
  // outside the world.
  ExactEval(std::int64_t dataset_size, std::int64_t batch_size, int world_size, int rank);

  std::int64_t batch_count() const { return batch_count_; }  // of all ranks
  std::int64_t size() const;                                 // of this rank
  EvalBatch operator[](std::int64_t position) const;         // position in [0, size())

 private:
  std::int64_t dataset_size_;
  std::int64_t batch_size_;
  std::int64_t batch_count_;
  int world_size_;
  int rank_;
};

// A sum per batch and metric, in double. Every rank holds the whole table, [batch_count,
// metric_count], with zero where another rank works; an all-reduce (sum) of cells() therefore adds
// zeros only and is exact, and totals() then adds in batch order: the same bits at any world size.
class BatchSums {
 public:
  // Throws invalid_argument when a count is negative.
  BatchSums(std::int64_t batch_count, std::int64_t metric_count);

  // Throws out_of_range outside the table.
  void record(std::int64_t batch, std::int64_t metric, double sum);
  std::span<double> cells() { return cells_; }
  std::vector<double> totals() const;  // one per metric

 private:
  std::int64_t metric_count_;
  std::vector<double> cells_;
};

}  // namespace lockstep
