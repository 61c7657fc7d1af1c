// Reads CIFAR-10 and CIFAR-100 in their binary version: records of a label (CIFAR-100: a coarse and
// a fine one) and 3 x 32 x 32 bytes, the red plane, the green one, the blue one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "trainer/data/image.h"

namespace lockstep {

enum class CifarKind { kCifar10, kCifar100 };

struct CifarDataset {
  static constexpr std::int64_t kSide = 32;
  static constexpr std::int64_t kImageBytes = 3 * kSide * kSide;

  std::vector<std::uint8_t> planes;  // [size, 3, 32, 32]
  std::vector<std::uint8_t> labels;  // [size]; of CIFAR-100 the fine ones

  std::int64_t size() const { return static_cast<std::int64_t>(labels.size()); }
  Image image(std::int64_t index) const;
  std::uint32_t identity() const;  // CRC-32 of it all
};

// The files of the published archive's folder: five batches or test_batch.bin; train.bin or
// test.bin.
std::vector<std::filesystem::path> cifar_files(CifarKind kind,
                                               const std::filesystem::path& directory,
                                               bool training);

// Reads the files one after another; each may be gzipped. Throws BadData "<path>: ..." for a file
// that is missing, empty, no whole number of records or larger than 1 GiB, and for a label outside
// the kind's 10 or 100 classes.
CifarDataset read_cifar(CifarKind kind, std::span<const std::filesystem::path> files);

// Appends a file's records. `origin` names it in messages.
void append_cifar(CifarKind kind, std::span<const std::uint8_t> bytes, const std::string& origin,
                  CifarDataset& dataset);

}  // namespace lockstep
