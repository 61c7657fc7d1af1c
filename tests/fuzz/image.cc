// Fuzzes the JPEG and PNG decoders. PNG inputs are tried as they are and with right checksums,
// without which hardly one would get beyond its first chunk.
#include "trainer/data/image.h"

#include <zlib.h>

#include "tests/fuzz/target.h"

namespace {

std::uint32_t big_endian(const std::uint8_t* bytes) {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 |
         std::uint32_t{bytes[2]} << 8 | std::uint32_t{bytes[3]};
}

// After the 8 bytes of magic a chunk is length, type, content, CRC-32 of type and content.
std::vector<std::uint8_t> with_right_checksums(lockstep::fuzz::Input input) {
  std::vector<std::uint8_t> png(input.begin(), input.end());
  std::size_t chunk = 8;
  while (png.size() >= chunk + 12 && big_endian(&png[chunk]) <= png.size() - chunk - 12) {
    const std::size_t length = big_endian(&png[chunk]);
    const uLong crc = crc32_z(0, &png[chunk + 4], length + 4);
    for (int i = 0; i < 4; ++i) {
      png[chunk + 8 + length + i] = static_cast<std::uint8_t>(crc >> (24 - 8 * i));
    }
    chunk += length + 12;
  }
  return png;
}

void decode(lockstep::fuzz::Input input) {
  lockstep::fuzz::may_refuse([&] {
    const lockstep::Image image = lockstep::decode_image(input, {.pixels = 1 << 20});
    lockstep::fuzz::must(image.rows > 0 && image.columns > 0);
    lockstep::fuzz::must(static_cast<std::int64_t>(image.pixels.size()) ==
                         image.rows * image.columns * lockstep::Image::kChannels);
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  decode({data, size});
  if (size > 0 && data[0] == 0x89) decode(with_right_checksums({data, size}));
  return 0;
}
