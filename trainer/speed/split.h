// Where the time of steps goes, from the beginnings and ends of spans. Pure.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

namespace lockstep {

// A span begins or ends, so many seconds after a common start.
struct Mark {
  std::string name;
  bool is_begin = true;
  double seconds = 0;
};

struct Split {
  std::map<std::string, double> seconds;  // of each name, without the spans inside it
  std::vector<double> steps;              // from the end of a step, or the start, to the next end
};

// Spans lie within each other, as scopes do. "step 12" counts as "step".
Split split_of(std::span<const Mark> marks);

// The value below which lies the share `part`, 0 to 1, of `values`, of which there is at least one:
// an observed one, never between two (nearest rank).
double quantile(std::vector<double> values, double part);

}  // namespace lockstep
