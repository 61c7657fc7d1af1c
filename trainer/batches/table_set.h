// Rows of numbers with a label each.
#pragma once

#include "trainer/batches/dataset.h"
#include "trainer/data/csv_reader.h"

namespace lockstep {

// How columns become comparable: (x - mean) / std of the training rows, constant columns 0.
struct ColumnScale {
  std::vector<float> mean;
  std::vector<float> std;
};
ColumnScale scale_of(const CsvTable& table);

// inputs float32 [batch, 1, 1, columns], scaled; targets int64 [batch].
class TableSet : public Dataset {
 public:
  // Throws BadData when `table` has other columns than `scale` or a label from `classes` on.
  TableSet(const CsvTable& table, const ColumnScale& scale, std::int64_t classes);

  DataShape shape() const override { return shape_; }
  const SampleFacts& facts() const override { return facts_; }
  std::uint32_t identity() const override { return identity_; }
  Batch batch(std::span<const std::int64_t> indices,
              const std::optional<Variation>& variation) const override;
  bool is_quick() const override { return true; }

 private:
  DataShape shape_;
  SampleFacts facts_;
  std::uint32_t identity_;
  at::Tensor values_;  // float32 [size, 1, 1, columns]
  at::Tensor labels_;  // int64 [size]
};

}  // namespace lockstep
