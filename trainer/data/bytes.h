// Whole files as bytes, with a cap on what is taken into memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

namespace lockstep {

using Bytes = std::vector<std::uint8_t>;

// The file's content; unpacked when it is gzipped, whatever its name. Memory grows with what the
// file really holds. Throws BadData "<path>: ..." for one that cannot be read, whose gzip sums are
// wrong, or that holds more than `most` bytes.
Bytes read_bytes(const std::filesystem::path& path, std::uint64_t most);

// The same bytes as text.
std::string_view as_text(std::span<const std::uint8_t> bytes);

// CRC-32 of all that was added, so that ranks can compare what they read.
class Identity {
 public:
  Identity& add(std::span<const std::uint8_t> bytes);
  Identity& add(std::string_view text);  // and where it ends: "a" + "bc" is not "ab" + "c"
  Identity& add(std::int64_t number);
  std::uint32_t value() const { return crc_; }

 private:
  std::uint32_t crc_ = 0;
};

}  // namespace lockstep
