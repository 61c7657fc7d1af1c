// Split, fill up, sort, cut, shuffle.
#include "trainer/data/length_bucket_sampler.h"

#include <algorithm>

#include "trainer/data/deal.h"
#include "trainer/data/random_permutation.h"
#include "trainer/data/random_stream.h"

namespace lockstep {
namespace {

std::size_t bucket_count(const Sampling& sampling) { return sampling.method.up_to.size() + 1; }

std::int64_t batch_of(const Sampling& sampling, std::size_t bucket) {
  const auto& own = sampling.method.batch;
  return own.empty() ? sampling.batch : own[bucket];
}

// Batches of all ranks, of `batch` samples each rank, that `members` samples fill.
std::int64_t batches_in(const Sampling& sampling, std::int64_t members, std::int64_t batch) {
  const std::int64_t global = batch * sampling.world_size;
  return sampling.drop_last ? members / global : (members + global - 1) / global;
}

bool is_sample(std::int64_t entry) { return entry >= 0; }

std::int64_t sample_of(std::int64_t entry) { return entry < 0 ? ~entry : entry; }

void pad_or_drop(std::vector<std::int64_t>& members, std::int64_t size) {
  const auto known = std::min(std::ssize(members), size);
  members.resize(size);
  for (std::int64_t i = known; i < size; ++i) members[i] = ~members[i % known];
}

void sort_windows(std::vector<std::int64_t>& members, std::int64_t window,
                  std::span<const std::int32_t> lengths) {
  const auto length = [&](std::int64_t entry) { return lengths[sample_of(entry)]; };
  for (auto begin = members.begin(); begin != members.end();) {
    const auto end = begin + std::min(window, members.end() - begin);
    std::ranges::stable_sort(begin, end, {}, length);
    begin = end;
  }
}

}  // namespace

int bucket_of(std::int32_t length, std::span<const int> up_to) {
  return static_cast<int>(std::ranges::lower_bound(up_to, length) - up_to.begin());
}

LengthBucketSampler::LengthBucketSampler(const Sampling& sampling,
                                         std::span<const std::int32_t> lengths, std::int64_t epoch)
    : world_size_(sampling.world_size) {
  std::vector<std::vector<std::int64_t>> members(bucket_count(sampling));
  for (const std::int64_t sample : epoch_order(sampling, std::ssize(lengths), epoch)) {
    members[bucket_of(lengths[sample], sampling.method.up_to)].push_back(sample);
  }
  for (std::size_t bucket = 0; bucket < members.size(); ++bucket) {
    add_bucket(sampling, lengths, std::move(members[bucket]), batch_of(sampling, bucket));
  }
  Sampling of_batches = sampling;
  of_batches.seed = stream_seed(sampling.seed, epoch, Stream::kBatches);
  batch_order_ = epoch_order(of_batches, length_bucket_batches(sampling, lengths), 0);
}

void LengthBucketSampler::add_bucket(const Sampling& sampling,
                                     std::span<const std::int32_t> lengths,
                                     std::vector<std::int64_t> members, std::int64_t batch) {
  const std::int64_t batches = batches_in(sampling, std::ssize(members), batch);
  const std::int64_t first_batch =
      buckets_.empty()
          ? 0
          : buckets_.back().first_batch + (std::ssize(samples_) - buckets_.back().first_sample) /
                                              (buckets_.back().batch * world_size_);
  buckets_.push_back({batch, first_batch, std::ssize(samples_)});
  pad_or_drop(members, batches * batch * world_size_);
  sort_windows(members, sampling.method.window * batch * world_size_, lengths);
  samples_.insert(samples_.end(), members.begin(), members.end());
}

LengthBucketSampler::Place LengthBucketSampler::place_of(std::int64_t position) const {
  const std::int64_t number = batch_order_[position];
  const auto after = std::ranges::upper_bound(buckets_, number, {}, &Bucket::first_batch);
  const Bucket& bucket = *std::prev(after);
  return {bucket, bucket.first_sample + (number - bucket.first_batch) * bucket.batch * world_size_};
}

Draw LengthBucketSampler::draw(int rank, std::int64_t position) const {
  const auto [bucket, first] = place_of(position);
  Draw draw{.bucket = static_cast<int>(&bucket - buckets_.data())};
  for (std::int64_t i = 0; i < bucket.batch; ++i) {
    draw.indices.push_back(samples_[first + i * world_size_ + rank]);
  }
  const auto repeats = std::ranges::stable_partition(draw.indices, is_sample);
  draw.repeated = std::ssize(repeats);
  for (std::int64_t& entry : repeats) entry = ~entry;
  return draw;
}

Drawn LengthBucketSampler::drawn(std::int64_t position) const {
  const auto [bucket, first] = place_of(position);
  const auto begin = samples_.begin() + first, end = begin + bucket.batch * world_size_;
  return {end - begin, (end - begin) - std::count_if(begin, end, is_sample)};
}

std::int64_t length_bucket_batches(const Sampling& sampling,
                                   std::span<const std::int32_t> lengths) {
  std::vector<std::int64_t> members(bucket_count(sampling));
  for (const std::int32_t length : lengths) ++members[bucket_of(length, sampling.method.up_to)];
  std::int64_t batches = 0;
  for (std::size_t bucket = 0; bucket < members.size(); ++bucket) {
    batches += batches_in(sampling, members[bucket], batch_of(sampling, bucket));
  }
  return batches;
}

}  // namespace lockstep
