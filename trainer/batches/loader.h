// The batches of a run in their order, made ahead of time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "trainer/batches/dataset.h"
#include "trainer/data/ordered_prefetch.h"
#include "trainer/data/sampler.h"

namespace lockstep {

struct LoaderSettings {
  int threads = 0;  // 0: made when asked for, on the caller's thread
  int ahead = 2;    // batches that wait at most, for each thread
};

// What this rank sees from the start of a run to its end, epochs one after another: while an epoch
// ends, batches of the next are made already. Neither threads nor `ahead` change a batch.
// Threads: its own, and one caller.
class Loader {
 public:
  // `data` outlives this. Batches come on `device`; they wait in pinned memory for a CUDA device.
  // Throws what make_sampler throws.
  Loader(const Dataset& data, const Sampling& sampling, int rank, at::Device device,
         const LoaderSettings& settings);

  // Batches of an epoch, from 0, on each rank.
  std::int64_t batches_in(std::int64_t epoch) const;
  // Samples of all ranks together at `position`, without those that a batch ignores as repeats.
  std::int64_t counted_at(std::int64_t epoch, std::int64_t position) const;

  // The batch at `position` of `epoch`. Quick when it follows the one asked for before.
  Batch at(std::int64_t epoch, std::int64_t position);

 private:
  Batch make(std::int64_t number) const;
  std::pair<std::int64_t, std::int64_t> place_of(std::int64_t number) const;
  std::int64_t number_of(std::int64_t epoch, std::int64_t position) const;
  std::shared_ptr<const Sampler> sampler_of(std::int64_t epoch) const;

  const Dataset& data_;
  Sampling sampling_;
  int rank_;
  at::Device device_;
  std::vector<Stretch> stretches_;
  mutable std::mutex mutex_;
  mutable std::map<std::int64_t, std::shared_ptr<const Sampler>> samplers_;  // of the last epochs
  OrderedPrefetch<Batch> batches_;  // by number from the start of the run; last: it uses the rest
};

}  // namespace lockstep
