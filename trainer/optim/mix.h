// How the samples of a batch are mixed: mixup (arXiv 1710.09412) or CutMix (arXiv 1905.04899).
// Drawn without torch, a pure function of seed and step: all ranks draw alike, a resumed run too.
#pragma once

#include <cstdint>

#include "trainer/config/config.h"

namespace lockstep {

enum class Mixing { kNone, kMixup, kCutmix };

// A box of pixels, its ends not included.
struct Box {
  std::int64_t top = 0, bottom = 0, left = 0, right = 0;
};

struct Mix {
  Mixing mixing = Mixing::kNone;
  double share = 1;  // of a sample itself in its target; the rest is its partner's
  Box box{};         // CutMix: what the partner covers
};

// What optim.mixup and optim.cutmix make of the batch of `step` with images of rows x columns. With
// both on, each has half of the batches. The share of mixup is from Beta(alpha, alpha). CutMix cuts
// a box of the area 1 - share about an even-spread centre; its share counts the pixels that remain.
Mix draw_mix(const OptimConfig& optim, std::uint64_t seed, std::int64_t step, std::int64_t rows,
             std::int64_t columns);

}  // namespace lockstep
