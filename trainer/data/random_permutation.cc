// Fisher-Yates in the two variants of torch's CPU randperm, on the same 32-bit Mersenne Twister.
#include "trainer/data/random_permutation.h"

#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>
#include <utility>

namespace lockstep {
namespace {

// From here on torch draws 64 bits, since 32 would bias the remainder.
constexpr std::int64_t kLarge = std::numeric_limits<std::uint32_t>::max() / 20;

void shuffle_forward(std::vector<std::int64_t>& order, std::mt19937& engine) {
  const auto size = static_cast<std::int64_t>(order.size());
  for (std::int64_t i = 0; i < size - 1; ++i) {
    const std::int64_t z = static_cast<std::int64_t>(engine()) % (size - i);
    std::swap(order[i], order[i + z]);
  }
}

void shuffle_inside_out(std::vector<std::int64_t>& order, std::mt19937& engine) {
  for (std::uint64_t i = 0; i < order.size(); ++i) {
    const std::uint64_t high = engine();
    const std::uint64_t z = (high << 32 | engine()) % (i + 1);
    std::swap(order[i], order[z]);
  }
}

}  // namespace

std::vector<std::int64_t> random_permutation(std::int64_t size, std::uint64_t seed) {
  if (size < 0) {
    throw std::invalid_argument("a permutation cannot have " + std::to_string(size) + " elements");
  }
  std::mt19937 engine(static_cast<std::uint32_t>(seed));
  std::vector<std::int64_t> order(size);
  std::iota(order.begin(), order.end(), std::int64_t{0});
  if (size < kLarge) {
    shuffle_forward(order, engine);
  } else {
    shuffle_inside_out(order, engine);
  }
  return order;
}

}  // namespace lockstep
