// The checksum of TensorFlow's record files: CRC-32C (Castagnoli), RFC 3720 appendix B.4.
#pragma once

#include <cstdint>
#include <string_view>

namespace lockstep {

std::uint32_t crc32c(std::string_view bytes);

// As stored beside the bytes it sums: rotated right by 15 bits, plus 0xa282ead8, so that a sum over
// bytes that hold sums is still a good one.
std::uint32_t masked_crc32c(std::string_view bytes);

}  // namespace lockstep
