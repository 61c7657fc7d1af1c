// Sums over draws.
#include "trainer/data/draw_counts.h"

#include <algorithm>

namespace lockstep {

DrawCounts::DrawCounts(std::int64_t samples, std::span<const std::int32_t> lengths)
    : lengths_(lengths), seen_(samples) {}

void DrawCounts::add(const Draw& draw) {
  std::int64_t longest = 0;
  for (const std::int64_t sample : draw.indices) {
    distinct_ += seen_[sample] ? 0 : 1;
    seen_[sample] = true;
    if (lengths_.empty()) continue;
    values_ += lengths_[sample];
    longest = std::max<std::int64_t>(longest, lengths_[sample]);
  }
  drawn_ += std::ssize(draw.indices);
  padded_ += longest * std::ssize(draw.indices);
}

double DrawCounts::waste() const {
  if (padded_ == 0) return 0;
  return 1 - static_cast<double>(values_) / static_cast<double>(padded_);
}

}  // namespace lockstep
