// Rectangles, borders and affine maps. Rounding follows torchvision and PIL: half to even.
#include "trainer/data/geometry.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace lockstep {
namespace {

constexpr int kDraws = 10;

std::int64_t rounded(double x) { return static_cast<std::int64_t>(std::nearbyint(x)); }

void check(const CropBounds& bounds) {
  if (!(0 < bounds.least_area && bounds.least_area <= bounds.most_area && 0 < bounds.least_ratio &&
        bounds.least_ratio <= bounds.most_ratio)) {
    throw std::invalid_argument("a random crop's area and ratio need 0 < least <= most");
  }
}

Crop largest_centred(std::int64_t rows, std::int64_t columns, const CropBounds& bounds) {
  const double ratio = static_cast<double>(columns) / static_cast<double>(rows);
  Crop crop{0, 0, rows, columns};
  if (ratio < bounds.least_ratio) {
    crop.rows = rounded(static_cast<double>(columns) / bounds.least_ratio);
  } else if (ratio > bounds.most_ratio) {
    crop.columns = rounded(static_cast<double>(rows) * bounds.most_ratio);
  }
  crop.rows = std::clamp<std::int64_t>(crop.rows, 1, rows);
  crop.columns = std::clamp<std::int64_t>(crop.columns, 1, columns);
  crop.top = (rows - crop.rows) / 2;
  crop.left = (columns - crop.columns) / 2;
  return crop;
}

// The part of `image` from (top, left) on, which may lie outside: black is there.
Image window_of(const Image& image, const Crop& window) {
  Image result(window.rows, window.columns);
  const std::int64_t first = std::max<std::int64_t>(0, -window.left);
  const std::int64_t last = std::min(window.columns, image.columns - window.left);
  for (std::int64_t row = 0; row < window.rows; ++row) {
    const std::int64_t from = window.top + row;
    if (from < 0 || from >= image.rows || first >= last) continue;
    std::copy_n(image.row(from) + (window.left + first) * Image::kChannels,
                (last - first) * Image::kChannels, result.row(row) + first * Image::kChannels);
  }
  return result;
}

// torchvision pads a picture that is too small by half the lack, rounded down, and crops from half
// the surplus, rounded half to even.
std::int64_t centred_start(std::int64_t size, std::int64_t wanted) {
  if (wanted > size) return -((wanted - size) / 2);
  return rounded(static_cast<double>(size - wanted) / 2.0);
}

std::int64_t fixed_16(double x) { return static_cast<std::int64_t>(std::floor(x * 65536.0 + 0.5)); }

}  // namespace

Crop random_crop_within(std::int64_t rows, std::int64_t columns, const CropBounds& bounds,
                        SampleRandom& random) {
  check(bounds);
  const double area = static_cast<double>(rows) * static_cast<double>(columns);
  for (int draw = 0; draw < kDraws; ++draw) {
    const double wanted = area * random.uniform(bounds.least_area, bounds.most_area);
    const double ratio =
        std::exp(random.uniform(std::log(bounds.least_ratio), std::log(bounds.most_ratio)));
    const std::int64_t width = rounded(std::sqrt(wanted * ratio));
    const std::int64_t height = rounded(std::sqrt(wanted / ratio));
    if (width < 1 || width > columns || height < 1 || height > rows) continue;
    const std::int64_t top = random.below(rows - height + 1);
    const std::int64_t left = random.below(columns - width + 1);
    return {top, left, height, width};
  }
  return largest_centred(rows, columns, bounds);
}

Image random_resized_crop(const Image& image, std::int64_t size, const CropBounds& bounds,
                          SampleRandom& random) {
  return resized(image, random_crop_within(image.rows, image.columns, bounds, random), size, size);
}

Image resized_short_side(const Image& image, std::int64_t size) {
  const std::int64_t shorter = std::min(image.rows, image.columns);
  const std::int64_t longer = size * std::max(image.rows, image.columns) / shorter;
  return image.rows <= image.columns ? resized(image, size, longer) : resized(image, longer, size);
}

Image centre_crop(const Image& image, std::int64_t rows, std::int64_t columns) {
  return window_of(image, {centred_start(image.rows, rows), centred_start(image.columns, columns),
                           rows, columns});
}

Image random_padded_crop(const Image& image, std::int64_t padding, std::int64_t rows,
                         std::int64_t columns, SampleRandom& random) {
  const std::int64_t down = image.rows + 2 * padding - rows;
  const std::int64_t right = image.columns + 2 * padding - columns;
  if (padding < 0 || down < 0 || right < 0) {
    throw std::invalid_argument("a random crop is larger than the picture with its padding");
  }
  const std::int64_t top = random.below(down + 1) - padding;
  const std::int64_t left = random.below(right + 1) - padding;
  return window_of(image, {top, left, rows, columns});
}

Image flipped(const Image& image) {
  Image result(image.rows, image.columns);
  for (std::int64_t row = 0; row < image.rows; ++row) {
    const std::uint8_t* from = image.row(row);
    std::uint8_t* to = result.row(row) + (image.columns - 1) * Image::kChannels;
    for (std::int64_t x = 0; x < image.columns; ++x, from += 3, to -= 3) std::copy_n(from, 3, to);
  }
  return result;
}

Image affine(const Image& image, const AffineMatrix& m) {
  Image result(image.rows, image.columns);
  std::int64_t row_x = fixed_16(m[2] + m[0] * 0.5 + m[1] * 0.5);  // of the first pixel's middle
  std::int64_t row_y = fixed_16(m[5] + m[3] * 0.5 + m[4] * 0.5);
  for (std::int64_t row = 0; row < image.rows; ++row) {
    std::int64_t x = row_x, y = row_y;
    std::uint8_t* to = result.row(row);
    for (std::int64_t column = 0; column < image.columns; ++column, to += Image::kChannels) {
      const std::int64_t from_x = x >> 16, from_y = y >> 16;
      if (from_x >= 0 && from_x < image.columns && from_y >= 0 && from_y < image.rows) {
        std::copy_n(image.row(from_y) + from_x * Image::kChannels, Image::kChannels, to);
      }
      x += fixed_16(m[0]);
      y += fixed_16(m[3]);
    }
    row_x += fixed_16(m[1]);
    row_y += fixed_16(m[4]);
  }
  return result;
}

Image rotated(const Image& image, double degrees) {
  const double angle = -degrees * std::numbers::pi / 180;
  const double cosine = std::cos(angle), sine = std::sin(angle);
  const double x = static_cast<double>(image.columns) / 2, y = static_cast<double>(image.rows) / 2;
  return affine(image, {cosine, sine, x - cosine * x - sine * y,  //
                        -sine, cosine, y + sine * x - cosine * y});
}

}  // namespace lockstep
