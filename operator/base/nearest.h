// The valid word that a user most likely meant.
#pragma once

#include <string>
#include <vector>

namespace lockstep {

// The candidate that the fewest insertions, deletions and replacements of characters lead to, the
// first of equals; "" when more than half of the word would have to change.
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

// For an unknown flag or command: "did you mean X?", or "see --help" when nothing is near.
std::string suggestion(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace lockstep
