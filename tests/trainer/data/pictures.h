// Pictures for tests: the golden ones, and one that is drawn.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/support/temporary_directory.h"
#include "trainer/data/bytes.h"
#include "trainer/data/image.h"

namespace lockstep::testing {

inline const std::string kPictures = std::string(GOLDEN_DIR) + "/images/";

inline Bytes bytes_of(const std::string& path) {
  const std::string content = content_of(path);
  return {content.begin(), content.end()};
}

// Reads "P6 <columns> <rows> 255\n" and the pixels, as the golden scripts write them.
inline Image golden_image(const std::string& name) {
  const std::string content = content_of(kPictures + name + ".ppm");
  const std::size_t header = content.find('\n') + 1;
  char* end = nullptr;
  const std::int64_t columns = std::strtol(content.c_str() + 3, &end, 10);
  Image image(std::strtol(end, nullptr, 10), columns);
  image.pixels.assign(content.begin() + static_cast<std::ptrdiff_t>(header), content.end());
  return image;
}

// The largest difference of any two bytes; 256 when the shapes differ.
inline int largest_difference(const Image& a, const Image& b) {
  if (a.rows != b.rows || a.columns != b.columns || a.pixels.size() != b.pixels.size()) return 256;
  int largest = 0;
  for (std::size_t i = 0; i < a.pixels.size(); ++i) {
    largest = std::max(largest, std::abs(int{a.pixels[i]} - int{b.pixels[i]}));
  }
  return largest;
}

}  // namespace lockstep::testing
