// Some samples of a data set, as a data set of their own.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "trainer/batches/dataset.h"

namespace lockstep {

class Subset : public Dataset {
 public:
  // The samples at `indices` of `whole`, in that order.
  Subset(std::shared_ptr<const Dataset> whole, std::vector<std::int64_t> indices);

  DataShape shape() const override { return whole_->shape(); }
  const SampleFacts& facts() const override { return facts_; }
  std::uint32_t identity() const override;
  Batch batch(std::span<const std::int64_t> indices,
              const std::optional<Variation>& variation) const override;
  bool is_quick() const override { return whole_->is_quick(); }

 private:
  std::shared_ptr<const Dataset> whole_;
  std::vector<std::int64_t> indices_;
  SampleFacts facts_;
};

// Throws std::invalid_argument when a split of `all` samples left `part` = 0 or all of them on one
// side.
void require_samples(std::int64_t part, std::int64_t all);

// `whole` without the share that `seed` holds out, and that share: the same samples at each run.
// Throws std::invalid_argument when either would be empty.
std::pair<std::unique_ptr<Dataset>, std::unique_ptr<Dataset>> hold_out(
    std::shared_ptr<const Dataset> whole, double share, std::uint64_t seed);

}  // namespace lockstep
