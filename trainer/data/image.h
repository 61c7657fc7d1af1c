// A decoded picture, and the readers of the two formats that image sets come in.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace lockstep {

// 8 bits each of red, green and blue, row by row from the top: [rows, columns, 3].
struct Image {
  static constexpr std::int64_t kChannels = 3;

  Image() = default;
  Image(std::int64_t row_count, std::int64_t column_count)
      : rows(row_count), columns(column_count), pixels(row_count * column_count * kChannels) {}

  std::uint8_t* row(std::int64_t at) { return pixels.data() + at * columns * kChannels; }
  const std::uint8_t* row(std::int64_t at) const {
    return pixels.data() + at * columns * kChannels;
  }
  bool operator==(const Image&) const = default;

  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<std::uint8_t> pixels;
};

struct DecodeLimits {
  std::int64_t pixels = std::int64_t{64} << 20;  // rows x columns
};

// Decodes JPEG or PNG, told apart by their first bytes, to the pixels that PIL's
// Image.open(...).convert("RGB") gives: grey is repeated, a palette looked up, alpha dropped, CMYK
// taken as Adobe writes it; orientation tags and colour profiles are ignored. Of 16 bits the upper
// 8 are kept, also for grey, where PIL clips at 255 and most of such a picture turns white.
//
// Throws BadData, a sentence without the file's name, for another format, for damage, for a file
// that ends early (both refuse to invent the rest), and, before memory is taken, for more pixels
// than `limits` allows. Thread-safe.
Image decode_image(std::span<const std::uint8_t> bytes, const DecodeLimits& limits = {});

}  // namespace lockstep
