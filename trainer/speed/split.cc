// The innermost open span gets the time between two marks.
#include "trainer/speed/split.h"

#include <algorithm>
#include <cmath>

namespace lockstep {
namespace {

constexpr char kStep[] = "step";

std::string common_name(const std::string& name) { return name.starts_with(kStep) ? kStep : name; }

}  // namespace

Split split_of(std::span<const Mark> marks) {
  Split split;
  std::vector<std::string> open;
  double last = 0, last_step = 0;
  for (const Mark& mark : marks) {
    if (!open.empty()) split.seconds[open.back()] += mark.seconds - last;
    last = mark.seconds;
    if (mark.is_begin) {
      open.push_back(common_name(mark.name));
      continue;
    }
    if (open.back() == kStep) {
      split.steps.push_back(mark.seconds - last_step);
      last_step = mark.seconds;
    }
    open.pop_back();
  }
  return split;
}

double quantile(std::vector<double> values, double part) {
  std::ranges::sort(values);
  const auto rank = static_cast<std::size_t>(std::ceil(part * static_cast<double>(values.size())));
  return values[std::max<std::size_t>(rank, 1) - 1];
}

}  // namespace lockstep
