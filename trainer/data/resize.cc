// PIL's two passes over 8-bit pixels, across and down, each rounded to 8 bits, weights in fixed
// point (Pillow's src/libImaging/Resample.c is the definition that this follows).
#include "trainer/data/resize.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace lockstep {
namespace {

constexpr int kFractionBits = 32 - 8 - 2;  // leaves room for a pixel and a carry in 32 bits
constexpr std::int32_t kHalf = 1 << (kFractionBits - 1);

std::uint8_t pixel_of(std::int32_t fixed) {
  return static_cast<std::uint8_t>(std::clamp(fixed >> kFractionBits, 0, 255));
}

double triangle(double x) { return std::max(0.0, 1.0 - std::abs(x)); }

// Output pixel i is the sum of weights[i * most + k] * input pixel first[i] + k.
struct Weights {
  std::int64_t most = 0;  // of the inputs that one output takes
  std::vector<std::int64_t> first, count;
  std::vector<std::int32_t> fixed;
};

Weights weights_for(std::int64_t from, std::int64_t to) {
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  const double support = std::max(scale, 1.0);
  Weights weights;
  weights.most = static_cast<std::int64_t>(std::ceil(support)) * 2 + 1;
  weights.fixed.resize(to * weights.most);
  std::vector<double> raw(weights.most);
  for (std::int64_t i = 0; i < to; ++i) {
    const double centre = (static_cast<double>(i) + 0.5) * scale;
    const auto first = std::max<std::int64_t>(0, static_cast<std::int64_t>(centre - support + 0.5));
    const auto last = std::min(from, static_cast<std::int64_t>(centre + support + 0.5));
    double sum = 0;
    for (std::int64_t k = 0; k < last - first; ++k) {
      raw[k] = triangle((static_cast<double>(k + first) - centre + 0.5) * (1.0 / support));
      sum += raw[k];
    }
    for (std::int64_t k = 0; k < last - first; ++k) {
      const double weight = sum == 0 ? raw[k] : raw[k] / sum;
      weights.fixed[i * weights.most + k] =
          static_cast<std::int32_t>(0.5 + weight * (1 << kFractionBits));
    }
    weights.first.push_back(first);
    weights.count.push_back(last - first);
  }
  return weights;
}

// One row, whose pixels begin at `from`.
void scale_row(const std::uint8_t* from, const Weights& weights, std::uint8_t* to) {
  for (std::size_t i = 0; i < weights.first.size(); ++i) {
    const std::uint8_t* input = from + weights.first[i] * Image::kChannels;
    const std::int32_t* weight = weights.fixed.data() + static_cast<std::int64_t>(i) * weights.most;
    std::int32_t red = kHalf, green = kHalf, blue = kHalf;
    for (std::int64_t k = 0; k < weights.count[i]; ++k, input += Image::kChannels) {
      red += input[0] * weight[k];
      green += input[1] * weight[k];
      blue += input[2] * weight[k];
    }
    *to++ = pixel_of(red);
    *to++ = pixel_of(green);
    *to++ = pixel_of(blue);
  }
}

Image scaled_across(const Image& image, const Crop& crop, std::int64_t columns) {
  const Weights weights = weights_for(crop.columns, columns);
  Image result(crop.rows, columns);
  for (std::int64_t row = 0; row < crop.rows; ++row) {
    const std::uint8_t* from = image.row(crop.top + row) + crop.left * Image::kChannels;
    if (columns == crop.columns) {
      std::copy_n(from, columns * Image::kChannels, result.row(row));
    } else {
      scale_row(from, weights, result.row(row));
    }
  }
  return result;
}

// Weighted sums of whole rows: simple loops over bytes, which compilers turn into vectors.
Image scaled_down(const Image& image, const Crop& crop, std::int64_t rows) {
  const Weights weights = weights_for(crop.rows, rows);
  Image result(rows, crop.columns);
  const auto width = static_cast<std::size_t>(crop.columns * Image::kChannels);
  std::vector<std::int32_t> sums(width);
  for (std::int64_t i = 0; i < rows; ++i) {
    std::ranges::fill(sums, kHalf);
    for (std::int64_t k = 0; k < weights.count[i]; ++k) {
      const std::int32_t weight = weights.fixed[i * weights.most + k];
      const std::uint8_t* from =
          image.row(crop.top + weights.first[i] + k) + crop.left * Image::kChannels;
      for (std::size_t x = 0; x < width; ++x) sums[x] += from[x] * weight;
    }
    std::uint8_t* to = result.row(i);
    for (std::size_t x = 0; x < width; ++x) to[x] = pixel_of(sums[x]);
  }
  return result;
}

// The order of Pillow 13, found by comparison (older ones always begin across): it is seen only in
// the rounding between the passes.
bool begins_downwards(const Crop& crop, std::int64_t rows, std::int64_t columns) {
  return rows < crop.rows && crop.rows - rows > 2 * (crop.columns - columns);
}

Crop whole(const Image& image) { return {0, 0, image.rows, image.columns}; }

void check(const Image& image, const Crop& crop, std::int64_t rows, std::int64_t columns) {
  if (rows < 1 || columns < 1 || crop.rows < 1 || crop.columns < 1) {
    throw std::invalid_argument("a picture is scaled from and to 1 pixel or more");
  }
  if (crop.top < 0 || crop.left < 0 || crop.rows > image.rows - crop.top ||
      crop.columns > image.columns - crop.left) {
    throw std::invalid_argument("a crop leaves its picture");
  }
}

}  // namespace

Image resized(const Image& image, const Crop& crop, std::int64_t rows, std::int64_t columns) {
  check(image, crop, rows, columns);
  if (rows == crop.rows) return scaled_across(image, crop, columns);
  if (columns == crop.columns) return scaled_down(image, crop, rows);
  if (begins_downwards(crop, rows, columns)) {
    const Image low = scaled_down(image, crop, rows);
    return scaled_across(low, whole(low), columns);
  }
  const Image narrow = scaled_across(image, crop, columns);
  return scaled_down(narrow, whole(narrow), rows);
}

Image resized(const Image& image, std::int64_t rows, std::int64_t columns) {
  return resized(image, whole(image), rows, columns);
}

}  // namespace lockstep
