// The arithmetic of PIL, with its roundings; what is written in float there is float here.
#include "trainer/data/colour.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

namespace lockstep {
namespace {

using Table = std::array<std::uint8_t, 256>;

std::uint8_t clipped(double value) {
  return static_cast<std::uint8_t>(std::clamp(value, 0.0, 255.0));
}

// ITU-R 601-2 luma in 16-bit fixed point.
std::uint8_t grey_of(const std::uint8_t* pixel) {
  return static_cast<std::uint8_t>(
      (pixel[0] * 19595 + pixel[1] * 38470 + pixel[2] * 7471 + 0x8000) >> 16);
}

// From `base` at 0 to `value` at 1 and beyond.
std::uint8_t mixed(int base, int value, float factor) {
  if (factor == 1.0F) return static_cast<std::uint8_t>(value);
  const float change = factor * static_cast<float>(value - base);
  return clipped(static_cast<float>(base) + change);
}

// Visits every pixel of a copy: change(pixel) may write its three values.
template <typename Change>
Image changed(const Image& image, Change change) {
  Image result = image;
  for (std::size_t at = 0; at < result.pixels.size(); at += Image::kChannels) {
    change(result.pixels.data() + at);
  }
  return result;
}

Image looked_up(const Image& image, const std::array<Table, 3>& tables) {
  return changed(image, [&](std::uint8_t* pixel) {
    for (int channel = 0; channel < 3; ++channel) pixel[channel] = tables[channel][pixel[channel]];
  });
}

Table table_of(const std::function<double(int)>& value) {
  Table table{};
  for (int i = 0; i < 256; ++i) table[i] = clipped(value(i));
  return table;
}

using Histogram = std::array<std::int64_t, 256>;

// One table for each channel, made from its histogram.
std::array<Table, 3> tables_of(const Image& image,
                               const std::function<Table(const Histogram&)>& make) {
  std::array<Histogram, 3> counts{};
  for (std::size_t at = 0; at < image.pixels.size(); ++at) ++counts[at % 3][image.pixels[at]];
  return {make(counts[0]), make(counts[1]), make(counts[2])};
}

Table identity_table() {
  return table_of([](int i) { return i; });
}

Table stretching(const Histogram& counts) {
  const auto used = [](std::int64_t count) { return count != 0; };
  const auto low = std::find_if(counts.begin(), counts.end(), used) - counts.begin();
  const auto high = counts.rend() - std::find_if(counts.rbegin(), counts.rend(), used) - 1;
  if (high <= low) return identity_table();
  const double scale = 255.0 / static_cast<double>(high - low);
  const double offset = -static_cast<double>(low) * scale;
  return table_of([=](int i) { return i * scale + offset; });
}

Table evening(const Histogram& counts) {
  std::int64_t total = 0, last = 0;
  for (const std::int64_t count : counts) {
    total += count;
    if (count != 0) last = count;
  }
  const std::int64_t step = (total - last) / 255;
  if (step == 0) return identity_table();
  Table table{};
  std::int64_t sum = step / 2;
  for (int i = 0; i < 256; ++i) {
    table[i] = static_cast<std::uint8_t>(std::min<std::int64_t>(255, sum / step));
    sum += counts[i];
  }
  return table;
}

struct Hsv {
  std::uint8_t hue, saturation, value;
};

Hsv hsv_of(const std::uint8_t* pixel) {
  const int red = pixel[0], green = pixel[1], blue = pixel[2];
  const int most = std::max({red, green, blue}), least = std::min({red, green, blue});
  if (most == least) return {0, 0, static_cast<std::uint8_t>(most)};
  const float range = static_cast<float>(most - least);
  const float saturation = range / static_cast<float>(most);
  const float r = static_cast<float>(most - red) / range;
  const float g = static_cast<float>(most - green) / range;
  const float b = static_cast<float>(most - blue) / range;
  float hue = red == most     ? b - g
              : green == most ? static_cast<float>(2.0 + r - b)
                              : static_cast<float>(4.0 + g - r);
  hue = static_cast<float>(std::fmod(hue / 6.0 + 1.0, 1.0));
  return {clipped(hue * 255.0), clipped(saturation * 255.0), static_cast<std::uint8_t>(most)};
}

void put_rgb(const Hsv& hsv, std::uint8_t* pixel) {
  const std::uint8_t v = hsv.value;
  const float saturation = static_cast<float>(hsv.saturation / 255.0);
  const int sector = static_cast<int>(std::floor(hsv.hue * 6.0 / 255.0));
  const float within = static_cast<float>(hsv.hue * 6.0 / 255.0 - sector);
  const std::uint8_t p = clipped(std::round(v * (1.0 - saturation)));
  const std::uint8_t q = clipped(std::round(v * (1.0 - saturation * within)));
  const std::uint8_t t = clipped(std::round(v * (1.0 - saturation * (1.0 - within))));
  const std::array<std::array<std::uint8_t, 3>, 6> sectors = {
      {{v, t, p}, {q, v, p}, {p, v, t}, {p, q, v}, {t, p, v}, {v, p, q}}};
  std::copy_n(sectors[sector % 6].begin(), 3, pixel);
}

// The 3 x 3 mean with a middle of 5, rounded.
std::uint8_t smoothed(const Image& image, std::int64_t row, std::int64_t at) {
  int sum = 4 * image.row(row)[at];
  for (const std::int64_t down : {-1, 0, 1}) {
    for (const std::int64_t right : {-3, 0, 3}) sum += image.row(row + down)[at + right];
  }
  return static_cast<std::uint8_t>((2 * sum + 13) / 26);
}

}  // namespace

Image with_brightness(const Image& image, double factor) {
  const Table table = table_of([=](int i) { return mixed(0, i, static_cast<float>(factor)); });
  return looked_up(image, {table, table, table});
}

Image with_contrast(const Image& image, double factor) {
  std::int64_t sum = 0;
  for (std::size_t at = 0; at < image.pixels.size(); at += 3) sum += grey_of(&image.pixels[at]);
  const double count = static_cast<double>(image.rows * image.columns);
  const int mean = static_cast<int>(static_cast<double>(sum) / count + 0.5);
  const Table table = table_of([=](int i) { return mixed(mean, i, static_cast<float>(factor)); });
  return looked_up(image, {table, table, table});
}

Image with_saturation(const Image& image, double factor) {
  return changed(image, [factor = static_cast<float>(factor)](std::uint8_t* pixel) {
    const int grey = grey_of(pixel);
    for (int channel = 0; channel < 3; ++channel) {
      pixel[channel] = mixed(grey, pixel[channel], factor);
    }
  });
}

Image with_sharpness(const Image& image, double factor) {
  Image result = image;
  for (std::int64_t row = 1; row + 1 < image.rows; ++row) {
    for (std::int64_t at = 3; at + 3 < image.columns * 3; ++at) {
      result.row(row)[at] =
          mixed(smoothed(image, row, at), image.row(row)[at], static_cast<float>(factor));
    }
  }
  return result;
}

Image with_hue(const Image& image, double turn) {
  const auto steps = static_cast<std::uint8_t>(static_cast<std::int32_t>(turn * 255));
  return changed(image, [steps](std::uint8_t* pixel) {
    Hsv hsv = hsv_of(pixel);
    hsv.hue = static_cast<std::uint8_t>(hsv.hue + steps);
    put_rgb(hsv, pixel);
  });
}

Image posterized(const Image& image, int bits) {
  const int mask = 0xff << (8 - bits);
  const Table table = table_of([=](int i) { return i & mask; });
  return looked_up(image, {table, table, table});
}

Image solarized(const Image& image, double threshold) {
  const Table table = table_of([=](int i) { return i < threshold ? i : 255 - i; });
  return looked_up(image, {table, table, table});
}

Image autocontrasted(const Image& image) { return looked_up(image, tables_of(image, stretching)); }

Image equalized(const Image& image) { return looked_up(image, tables_of(image, evening)); }

Image jittered(const Image& image, const ColourJitter& jitter, SampleRandom& random) {
  using Step = std::pair<Image (*)(const Image&, double), double>;
  std::vector<Step> steps;
  const auto add_factor = [&](auto change, double spread) {
    if (spread > 0) {
      steps.emplace_back(change, random.uniform(std::max(0.0, 1 - spread), 1 + spread));
    }
  };
  add_factor(with_brightness, jitter.brightness);
  add_factor(with_contrast, jitter.contrast);
  add_factor(with_saturation, jitter.saturation);
  if (jitter.hue > 0) steps.emplace_back(with_hue, random.uniform(-jitter.hue, jitter.hue));
  for (std::size_t i = steps.size(); i > 1; --i) {
    std::swap(steps[i - 1], steps[random.below(static_cast<std::int64_t>(i))]);
  }
  Image result = image;
  for (const auto& [change, amount] : steps) result = change(result, amount);
  return result;
}

}  // namespace lockstep
