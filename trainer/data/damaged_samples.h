// How many samples may be unreadable before training stops.
#pragma once

#include <cstdint>
#include <set>
#include <string>

namespace lockstep {

// In training a damaged sample is skipped and counted; too many mean that something else is wrong.
// In evaluation none is allowed: a metric over fewer samples is another metric. A plain value: the
// thread that takes samples from the loader counts.
class DamagedSamples {
 public:
  // `most` may be skipped in all; `setting` names the limit in the message ("data.max_damaged").
  DamagedSamples(std::int64_t most, std::string setting);
  static DamagedSamples none_allowed();  // for evaluation

  // Counts one, unless the same `fault`, which names the sample, was counted before: whether it was
  // counted. Throws BadData when it is one too many, with its fault and what to do.
  bool skip(const std::string& fault);

  std::int64_t count() const { return static_cast<std::int64_t>(faults_.size()); }
  // A sentence for the log when the count has reached 1, 10, 100, ..., else empty: a damaged set
  // must not fill the log.
  std::string warning() const;

 private:
  std::int64_t most_;
  std::string setting_;
  std::set<std::string> faults_;
  std::string last_;
};

}  // namespace lockstep
