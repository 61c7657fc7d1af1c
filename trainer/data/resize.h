// Scales pictures as PIL does.
#pragma once

#include <cstdint>

#include "trainer/data/image.h"

namespace lockstep {

// A rectangle of a picture's pixels.
struct Crop {
  std::int64_t top = 0;
  std::int64_t left = 0;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  bool operator==(const Crop&) const = default;
};

// The crop scaled to rows x columns, bilinear, with the filter widened when scaling down
// (antialias): to the bit what Pillow 13 gives for image.crop(...).resize((columns, rows),
// BILINEAR), and so torchvision's resized_crop on its pictures; within 1 level of older Pillows.
// Throws invalid_argument when a size is below 1 or the crop leaves the picture.
Image resized(const Image& image, const Crop& crop, std::int64_t rows, std::int64_t columns);
Image resized(const Image& image, std::int64_t rows, std::int64_t columns);

}  // namespace lockstep
