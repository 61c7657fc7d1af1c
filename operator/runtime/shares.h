// How a round of questions is shared between jobs. Pure.
#pragma once

#include <cstddef>
#include <vector>

namespace lockstep {

// Of at most `most` in all, to each of those who want: nobody gets less than another who gets more,
// unless it wants no more; what does not come out even goes to the first ones.
std::vector<std::size_t> fair_shares(const std::vector<std::size_t>& wanted, std::size_t most);

}  // namespace lockstep
