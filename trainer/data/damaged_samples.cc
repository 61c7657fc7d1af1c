// Counts, and says when it is enough.
#include "trainer/data/damaged_samples.h"

#include <fmt/format.h>

#include <utility>

#include "trainer/errors.h"

namespace lockstep {
namespace {

bool is_power_of_ten(std::int64_t count) {
  while (count > 1 && count % 10 == 0) count /= 10;
  return count == 1;
}

}  // namespace

DamagedSamples::DamagedSamples(std::int64_t most, std::string setting)
    : most_(most), setting_(std::move(setting)) {}

DamagedSamples DamagedSamples::none_allowed() { return {0, ""}; }

bool DamagedSamples::skip(const std::string& fault) {
  if (!faults_.insert(fault).second) return false;
  last_ = fault;
  if (count() <= most_) return true;
  if (setting_.empty()) {
    throw BadData(fault + "; an evaluation skips no sample: mend it or take it out of the set");
  }
  throw BadData(
      fmt::format("{}; {} damaged samples, {} allows {}", fault, count(), setting_, most_));
}

std::string DamagedSamples::warning() const {
  if (!is_power_of_ten(count())) return "";
  return fmt::format("skipped {} damaged sample{} so far ({} allows {}), last: {}", count(),
                     count() == 1 ? "" : "s", setting_, most_, last_);
}

}  // namespace lockstep
