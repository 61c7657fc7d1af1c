// The valid word that a user most likely meant.
#pragma once

#include <string>
#include <vector>

namespace lockstep {

// The candidate that the fewest insertions, deletions and replacements of characters lead to, the
// first of equals; "" when there is none.
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace lockstep
