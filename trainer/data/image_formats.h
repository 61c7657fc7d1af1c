// What decode_image chooses from. Private to the decoders.
#pragma once

#include <cstdint>
#include <span>

#include "trainer/data/image.h"

namespace lockstep {

Image decode_jpeg(std::span<const std::uint8_t> bytes, const DecodeLimits& limits);
Image decode_png(std::span<const std::uint8_t> bytes, const DecodeLimits& limits);

// Throws BadData when a header asks for more than is allowed, or for nothing.
void check_size(const char* format, std::int64_t rows, std::int64_t columns,
                const DecodeLimits& limits);

}  // namespace lockstep
