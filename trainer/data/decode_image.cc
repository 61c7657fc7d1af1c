// Tells the formats apart.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "trainer/data/image_formats.h"
#include "trainer/errors.h"

namespace lockstep {
namespace {

constexpr std::array<std::uint8_t, 3> kJpeg = {0xff, 0xd8, 0xff};
constexpr std::array<std::uint8_t, 8> kPng = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

bool begins_with(std::span<const std::uint8_t> bytes, std::span<const std::uint8_t> magic) {
  return bytes.size() >= magic.size() && std::ranges::equal(bytes.first(magic.size()), magic);
}

}  // namespace

void check_size(const char* format, std::int64_t rows, std::int64_t columns,
                const DecodeLimits& limits) {
  if (rows < 1 || columns < 1) {
    throw BadData(fmt::format("the {} header says {} x {} pixels", format, columns, rows));
  }
  if (rows > limits.pixels / columns) {
    throw BadData(fmt::format("the {} header says {} x {} pixels, more than the {} allowed", format,
                              columns, rows, limits.pixels));
  }
}

Image decode_image(std::span<const std::uint8_t> bytes, const DecodeLimits& limits) {
  if (begins_with(bytes, kJpeg)) return decode_jpeg(bytes, limits);
  if (begins_with(bytes, kPng)) return decode_png(bytes, limits);
  if (bytes.empty()) throw BadData("the image file is empty");
  throw BadData("neither a JPEG nor a PNG image: it begins with other bytes");
}

}  // namespace lockstep
