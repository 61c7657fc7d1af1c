// Which part of a picture a sample shows, and how it is turned: torchvision's geometric transforms.
#pragma once

#include <array>
#include <cstdint>

#include "trainer/data/image.h"
#include "trainer/data/resize.h"
#include "trainer/data/sample_random.h"

namespace lockstep {

// The bounds of torchvision's RandomResizedCrop: the crop's share of the area, and its width
// divided by its height.
struct CropBounds {
  double least_area = 0.08, most_area = 1.0;
  double least_ratio = 3.0 / 4.0, most_ratio = 4.0 / 3.0;
};

// Ten draws of area and ratio (evenly in its logarithm); the first that fits is placed anywhere,
// and failing all, the largest centred crop of a permitted ratio. Throws invalid_argument for
// bounds that are not 0 < least <= most.
Crop random_crop_within(std::int64_t rows, std::int64_t columns, const CropBounds& bounds,
                        SampleRandom& random);

// random_crop_within scaled to size x size.
Image random_resized_crop(const Image& image, std::int64_t size, const CropBounds& bounds,
                          SampleRandom& random);

// Scaled so that the shorter side has `size` pixels and the longer the ratio's whole number.
Image resized_short_side(const Image& image, std::int64_t size);

// The middle rows x columns; black is added around a picture that is smaller.
Image centre_crop(const Image& image, std::int64_t rows, std::int64_t columns);

// A black border of `padding` pixels on each side, then rows x columns of it from anywhere. Throws
// invalid_argument when the padded picture is smaller than that.
Image random_padded_crop(const Image& image, std::int64_t padding, std::int64_t rows,
                         std::int64_t columns, SampleRandom& random);

Image flipped(const Image& image);  // left and right exchanged

// Output pixel (x, y) is the input's at (m[0] x + m[1] y + m[2], m[3] x + m[4] y + m[5]), the
// nearest, in PIL's fixed point; black outside.
using AffineMatrix = std::array<double, 6>;
Image affine(const Image& image, const AffineMatrix& matrix);

// Turned counter-clockwise about its middle.
Image rotated(const Image& image, double degrees);

}  // namespace lockstep
