// Pictures as a network takes them.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "trainer/data/image.h"
#include "trainer/data/sample_random.h"

namespace lockstep {

// Of each channel, as shares of full scale.
struct Normalisation {
  std::array<double, 3> mean{0, 0, 0};
  std::array<double, 3> std{1, 1, 1};
};

// A pixel x becomes (x / 255 - mean) / std in float, to the bit as torchvision's ToTensor and
// Normalize; looked up in a table. Immutable, so any thread may use it.
class Normaliser {
 public:
  // Throws invalid_argument for a std that is 0 or not finite.
  explicit Normaliser(const Normalisation& normalisation);

  // Writes [3, rows, columns] to a span of just this size.
  void write_planes(const Image& image, std::span<float> planes) const;

 private:
  std::array<std::array<float, 256>, 3> values_;
};

// torchvision's RandomErasing with its default ranges: with this probability sets one rectangle of
// [3, rows, columns], of 2 to 33 % of the area and a ratio of 0.3 to 3.3, to 0.
void erase_at_random(std::span<float> planes, std::int64_t rows, std::int64_t columns,
                     double probability, SampleRandom& random);

}  // namespace lockstep
