// Bytes to floats, interleaved to planes.
#include "trainer/data/normalise.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "trainer/data/geometry.h"

namespace lockstep {
namespace {

constexpr double kLeastErased = 0.02, kMostErased = 0.33;
constexpr double kLeastRatio = 0.3, kMostRatio = 3.3;  // rows divided by columns

// Ten draws; empty when none fits inside.
Crop rectangle_to_erase(std::int64_t rows, std::int64_t columns, SampleRandom& random) {
  for (int draw = 0; draw < 10; ++draw) {
    const double area =
        static_cast<double>(rows * columns) * random.uniform(kLeastErased, kMostErased);
    const double ratio = std::exp(random.uniform(std::log(kLeastRatio), std::log(kMostRatio)));
    const auto height = static_cast<std::int64_t>(std::nearbyint(std::sqrt(area * ratio)));
    const auto width = static_cast<std::int64_t>(std::nearbyint(std::sqrt(area / ratio)));
    if (height >= rows || width >= columns) continue;
    const std::int64_t top = random.below(rows - height + 1);
    const std::int64_t left = random.below(columns - width + 1);
    return {top, left, height, width};
  }
  return {};
}

}  // namespace

Normaliser::Normaliser(const Normalisation& normalisation) {
  for (int channel = 0; channel < 3; ++channel) {
    const auto mean = static_cast<float>(normalisation.mean[channel]);
    const auto std = static_cast<float>(normalisation.std[channel]);
    if (std == 0 || !std::isfinite(std)) {
      throw std::invalid_argument("a channel's std must be a number other than 0");
    }
    for (int value = 0; value < 256; ++value) {
      values_[channel][value] = (static_cast<float>(value) / 255.0F - mean) / std;
    }
  }
}

void Normaliser::write_planes(const Image& image, std::span<float> planes) const {
  if (planes.size() != image.pixels.size()) {
    throw std::invalid_argument("a picture does not fit the memory it is to go to");
  }
  const std::size_t plane = planes.size() / 3;
  const std::uint8_t* pixel = image.pixels.data();
  for (std::size_t at = 0; at < plane; ++at, pixel += 3) {
    planes[at] = values_[0][pixel[0]];
    planes[plane + at] = values_[1][pixel[1]];
    planes[2 * plane + at] = values_[2][pixel[2]];
  }
}

void erase_at_random(std::span<float> planes, std::int64_t rows, std::int64_t columns,
                     double probability, SampleRandom& random) {
  if (!random.chance(probability)) return;
  const Crop erased = rectangle_to_erase(rows, columns, random);
  for (std::int64_t plane = 0; plane < Image::kChannels; ++plane) {
    for (std::int64_t row = 0; row < erased.rows; ++row) {
      const auto start = (plane * rows + erased.top + row) * columns + erased.left;
      std::fill_n(planes.begin() + start, erased.columns, 0.0F);
    }
  }
}

}  // namespace lockstep
