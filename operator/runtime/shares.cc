// The smallest wishes first: what they leave is shared by the others.
#include "operator/runtime/shares.h"

#include <algorithm>
#include <numeric>

namespace lockstep {

std::vector<std::size_t> fair_shares(const std::vector<std::size_t>& wanted, std::size_t most) {
  std::vector<std::size_t> order(wanted.size()), shares(wanted.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return wanted[a] < wanted[b]; });
  for (std::size_t served = 0; served < order.size(); ++served) {
    const std::size_t others = order.size() - served;
    std::size_t& share = shares[order[served]];
    share = std::min(wanted[order[served]], (most + others - 1) / others);
    most -= share;
  }
  return shares;
}

}  // namespace lockstep
