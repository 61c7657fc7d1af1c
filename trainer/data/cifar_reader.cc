// Cuts files into records.
#include "trainer/data/cifar_reader.h"

#include <fmt/format.h>

#include "trainer/data/bytes.h"
#include "trainer/errors.h"

namespace lockstep {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;

struct Layout {
  const char* name;
  std::int64_t label_bytes;  // the last of them counts
  int classes;
};

Layout layout_of(CifarKind kind) {
  return kind == CifarKind::kCifar10 ? Layout{"CIFAR-10", 1, 10} : Layout{"CIFAR-100", 2, 100};
}

}  // namespace

Image CifarDataset::image(std::int64_t index) const {
  constexpr std::int64_t kPlane = kSide * kSide;
  Image image(kSide, kSide);
  const std::uint8_t* from = planes.data() + index * kImageBytes;
  for (std::int64_t pixel = 0; pixel < kPlane; ++pixel) {
    for (std::int64_t channel = 0; channel < Image::kChannels; ++channel) {
      image.pixels[pixel * Image::kChannels + channel] = from[channel * kPlane + pixel];
    }
  }
  return image;
}

std::uint32_t CifarDataset::identity() const { return Identity().add(planes).add(labels).value(); }

std::vector<std::filesystem::path> cifar_files(CifarKind kind,
                                               const std::filesystem::path& directory,
                                               bool training) {
  if (kind == CifarKind::kCifar100) return {directory / (training ? "train.bin" : "test.bin")};
  if (!training) return {directory / "test_batch.bin"};
  std::vector<std::filesystem::path> files;
  for (int i = 1; i <= 5; ++i) files.push_back(directory / fmt::format("data_batch_{}.bin", i));
  return files;
}

void append_cifar(CifarKind kind, std::span<const std::uint8_t> bytes, const std::string& origin,
                  CifarDataset& dataset) {
  const Layout layout = layout_of(kind);
  const std::size_t record = layout.label_bytes + CifarDataset::kImageBytes;
  if (bytes.empty() || bytes.size() % record != 0) {
    throw BadData(fmt::format("{}: {} bytes, expected whole records of {} ({})", origin,
                              bytes.size(), record, layout.name));
  }
  for (std::size_t at = 0; at < bytes.size(); at += record) {
    const std::uint8_t label = bytes[at + layout.label_bytes - 1];
    if (label >= layout.classes) {
      throw BadData(fmt::format("{}: record {} has label {}, {} has classes 0 to {}", origin,
                                at / record, label, layout.name, layout.classes - 1));
    }
    const auto planes = bytes.subspan(at + layout.label_bytes, CifarDataset::kImageBytes);
    dataset.labels.push_back(label);
    dataset.planes.insert(dataset.planes.end(), planes.begin(), planes.end());
  }
}

CifarDataset read_cifar(CifarKind kind, std::span<const std::filesystem::path> files) {
  CifarDataset dataset;
  for (const std::filesystem::path& file : files) {
    append_cifar(kind, read_bytes(file, kMostBytes), file.string(), dataset);
  }
  return dataset;
}

}  // namespace lockstep
