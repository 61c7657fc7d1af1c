// The valid word a user most likely meant: for messages about unknown flags and keys.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

// The candidate with the smallest edit distance (insert, delete, replace, swap of neighbours), the
// first of equals; "" when more than half of the word would have to change.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

// "did you mean X?" or, when nothing is near, "valid are A, B, C".
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace lockstep
