// Reads image sets in the idx format (MNIST, Fashion-MNIST), plain or gzipped.
// Format: big-endian magic 0x0000TTDD (type, dimensions), one u32 per dimension, then the values.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace lockstep {

// All samples in memory, the bytes as they stand in the files.
struct IdxDataset {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<std::uint8_t> images;  // [size, rows, columns]
  std::vector<std::uint8_t> labels;  // [size]

  std::int64_t size() const { return static_cast<std::int64_t>(labels.size()); }
  std::span<const std::uint8_t> image(std::int64_t index) const;  // [rows, columns]

  // CRC-32 over shape, images and labels: two ranks with the same identity hold the same data.
  std::uint32_t identity() const;
};

// Reads unsigned bytes: three dimensions from `images`, one from `labels`; either may be gzipped
// whatever its name. A file may hold 4 GiB at most. Throws BadData with the path and what was
// expected there: a missing file, another magic, type or dimension count, a truncated file,
// trailing bytes, counts that differ.
IdxDataset read_idx_dataset(const std::filesystem::path& images,
                            const std::filesystem::path& labels);

}  // namespace lockstep
