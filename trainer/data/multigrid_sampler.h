// Larger batches of smaller clips, in cycles: multigrid training (Wu, Girshick, He, Feichtenhofer,
// Kraehenbuehl, arXiv 1912.00998), with the numbers of its authors' own code.
#pragma once

#include <cstdint>
#include <vector>

#include "trainer/data/deal.h"
#include "trainer/data/sampler.h"

namespace lockstep {

// A clip against the full one, and how many of them cost what one full clip costs.
struct ClipScale {
  double time = 1;                    // of the frames
  double space = 1;                   // of the side of the crop
  std::int64_t batch_factor() const;  // 1 / (time * space^2), rounded
};

// The clips that the batches of one epoch take in turn.
// The long cycle goes through (1/4, sqrt 1/2), (1/2, sqrt 1/2), (1/2, 1), (1, 1) of time and space,
// one further at each epoch of method.long_cycle; empty: always (1, 1). The short cycle goes
// through crops of 1/2, sqrt 1/2 and 1, none larger than the long cycle's.
std::vector<ClipScale> clip_scales(const SamplerConfig& method, std::int64_t epoch);

// The order of the distributed sampler, cut into batches of `batch` * batch_factor() samples per
// rank. The last batch is smaller, on all ranks alike, or, with drop_last, left out.
class MultigridSampler : public Sampler {
 public:
  MultigridSampler(const Sampling& sampling, std::int64_t samples, std::int64_t epoch);

  std::int64_t batches() const override { return batches_; }
  Draw draw(int rank, std::int64_t position) const override;
  Drawn drawn(std::int64_t position) const override;

 private:
  std::int64_t first_of(std::int64_t position) const;  // of a rank's samples

  std::int64_t batch_;
  std::vector<ClipScale> scales_;
  std::int64_t batches_;
  Deal deal_;
};

// What MultigridSampler::batches() is in epoch `epoch`.
std::int64_t multigrid_batches(const Sampling& sampling, std::int64_t samples, std::int64_t epoch);

}  // namespace lockstep
