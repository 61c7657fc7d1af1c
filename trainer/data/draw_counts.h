// What draws add up to: how often samples come, and how much of their batches is padding.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trainer/data/sampler.h"

namespace lockstep {

// Of the batches counted so far, of whichever ranks. One thread.
class DrawCounts {
 public:
  // `lengths` is empty or has `samples` entries, and outlives this.
  explicit DrawCounts(std::int64_t samples, std::span<const std::int32_t> lengths = {});

  void add(const Draw& draw);

  std::int64_t drawn() const { return drawn_; }
  std::int64_t repeated() const { return drawn_ - distinct_; }  // draws of what had come before
  std::int64_t missing() const { return std::ssize(seen_) - distinct_; }  // never drawn

  // Values such as tokens, and how many they are when each batch is padded to its own longest
  // sample; 0 without lengths.
  std::int64_t values() const { return values_; }
  std::int64_t padded() const { return padded_; }

  // The share of padding in what is computed, from 0 to below 1.
  double waste() const;

 private:
  std::span<const std::int32_t> lengths_;
  std::vector<bool> seen_;
  std::int64_t drawn_ = 0;
  std::int64_t distinct_ = 0;
  std::int64_t values_ = 0;
  std::int64_t padded_ = 0;
};

}  // namespace lockstep
