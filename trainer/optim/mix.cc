// Draws from a Mersenne Twister of its own for each step; see mix.h.
#include "trainer/optim/mix.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace lockstep {
namespace {

using Engine = std::mt19937_64;

Engine engine_of(std::uint64_t seed, std::uint64_t step) {
  const std::uint64_t half = 0xffffffff;
  std::seed_seq words{seed & half, seed >> 32, step & half, step >> 32};
  return Engine(words);
}

// In [0, 1): the upper 53 bits.
double uniform(Engine& engine) { return static_cast<double>(engine() >> 11) * 0x1p-53; }

// Beta(alpha, alpha) as the share of one of two gamma variates. A tiny alpha makes both zero: then
// one takes all, which is the limit of the distribution.
double symmetric_beta(Engine& engine, double alpha) {
  std::gamma_distribution<double> gamma(alpha);
  const double one = gamma(engine), other = gamma(engine);
  if (one + other > 0) return one / (one + other);
  return uniform(engine) < 0.5 ? 0 : 1;
}

// The part of a side of `length` that a piece of `share` of it covers, about an even-spread centre.
void cut(Engine& engine, std::int64_t length, double share, std::int64_t& begin,
         std::int64_t& end) {
  const auto size = static_cast<std::int64_t>(std::floor(static_cast<double>(length) * share));
  const auto centre = static_cast<std::int64_t>(uniform(engine) * static_cast<double>(length));
  begin = std::clamp<std::int64_t>(centre - size / 2, 0, length);
  end = std::clamp<std::int64_t>(centre - size / 2 + size, 0, length);
}

Mix draw_cutmix(Engine& engine, double alpha, std::int64_t rows, std::int64_t columns) {
  const double side = std::sqrt(1 - symmetric_beta(engine, alpha));
  Box box;
  cut(engine, rows, side, box.top, box.bottom);
  cut(engine, columns, side, box.left, box.right);
  const std::int64_t covered = (box.bottom - box.top) * (box.right - box.left);
  return {Mixing::kCutmix, 1 - static_cast<double>(covered) / static_cast<double>(rows * columns),
          box};
}

}  // namespace

Mix draw_mix(const OptimConfig& optim, std::uint64_t seed, std::int64_t step, std::int64_t rows,
             std::int64_t columns) {
  if (optim.mixup == 0 && optim.cutmix == 0) return {};
  Engine engine = engine_of(seed, static_cast<std::uint64_t>(step));
  const bool has_both = optim.mixup > 0 && optim.cutmix > 0;
  const bool cuts = has_both ? uniform(engine) < 0.5 : optim.cutmix > 0;
  if (cuts) return draw_cutmix(engine, optim.cutmix, rows, columns);
  return {Mixing::kMixup, symmetric_beta(engine, optim.mixup)};
}

}  // namespace lockstep
