// Zip archives whose members are stored, not compressed, as torch.save writes them: with 64-bit
// sizes (APPNOTE.TXT 4.5.3) and each member's bytes at a multiple of 64. Members stay where
// they are in the file, which a library for zip would copy. Private to state/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "trainer/state/safetensors.h"

namespace lockstep {

// The bytes belong to somebody else.
struct ZipMember {
  std::string name;
  std::span<const std::byte> bytes;
  std::uint32_t crc32 = 0;  // as the archive tells it; write_stored_zip() sums by itself
};

// The members, in the order of the archive's directory; their bytes point into `archive`. Throws
// BadData, one clause, for what is no such archive. Does not compare the sums.
std::vector<ZipMember> members_of(std::span<const std::byte> archive);

// Hands the whole archive to `sink` piece by piece. No times: equal members give equal bytes.
void write_stored_zip(std::span<const ZipMember> members, const ByteSink& sink);

}  // namespace lockstep
