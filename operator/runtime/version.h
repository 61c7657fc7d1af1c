// resourceVersions as the numbers that they are.
#pragma once

#include <algorithm>
#include <string_view>

namespace lockstep {

// Whether `seen` is at least `wanted`. Both are decimal numbers of any length; an empty one counts
// as less than any other.
inline bool has_reached(std::string_view seen, std::string_view wanted) {
  seen.remove_prefix(std::min(seen.find_first_not_of('0'), seen.size()));
  wanted.remove_prefix(std::min(wanted.find_first_not_of('0'), wanted.size()));
  return seen.size() != wanted.size() ? seen.size() > wanted.size() : seen >= wanted;
}

}  // namespace lockstep
