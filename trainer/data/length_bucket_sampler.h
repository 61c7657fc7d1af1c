// Samples of similar length together, so that little is padded, and the same bucket on every rank
// at every step, so that no rank waits for another's longer samples.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trainer/data/sampler.h"

namespace lockstep {

// The bucket of a sample: the first whose `up_to` is at least its length, else the last. A length
// of exactly `up_to` belongs to that bucket.
int bucket_of(std::int32_t length, std::span<const int> up_to);

// One epoch is made so, alike on every rank:
//   1. all samples in the order of the epoch (seed + epoch), split into buckets;
//   2. per bucket the tail that fills no batch of all ranks is padded by repeating the bucket's
//      first samples or, with drop_last, dropped;
//   3. each window of `window` such batches is sorted by length and cut into them: the larger the
//      window, the less padding; but one as large as its bucket gives nearly the same batches each
//      epoch;
//   4. the batches of all buckets are shuffled together; without data.shuffle they stay in order.
// Of a batch of all ranks, rank r takes samples r, r + world size, ...: equal lengths everywhere.
class LengthBucketSampler : public Sampler {
 public:
  // `lengths` of all samples, none negative.
  LengthBucketSampler(const Sampling& sampling, std::span<const std::int32_t> lengths,
                      std::int64_t epoch);

  std::int64_t batches() const override { return std::ssize(batch_order_); }
  Draw draw(int rank, std::int64_t position) const override;
  Drawn drawn(std::int64_t position) const override;

 private:
  struct Bucket {
    std::int64_t batch;         // samples per rank
    std::int64_t first_batch;   // of all batches before they are shuffled
    std::int64_t first_sample;  // in samples_
  };
  struct Place {
    const Bucket& bucket;
    std::int64_t first;  // in samples_, of all ranks
  };

  Place place_of(std::int64_t position) const;
  void add_bucket(const Sampling& sampling, std::span<const std::int32_t> lengths,
                  std::vector<std::int64_t> members, std::int64_t batch);

  std::int64_t world_size_;
  std::vector<Bucket> buckets_;
  // One that only fills the tail up is ~sample, below 0.
  std::vector<std::int64_t> samples_;      // batch by batch, bucket by bucket
  std::vector<std::int64_t> batch_order_;  // position -> batch
};

// What LengthBucketSampler::batches() is.
std::int64_t length_bucket_batches(const Sampling& sampling, std::span<const std::int32_t> lengths);

}  // namespace lockstep
