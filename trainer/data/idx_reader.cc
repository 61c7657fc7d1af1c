// One pass over each file; memory grows with what the file really holds, not with what it claims.
#include "trainer/data/idx_reader.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

#include "trainer/errors.h"

namespace lockstep {
namespace {

constexpr std::uint64_t kMaxBytes = std::uint64_t{4} << 30;
constexpr std::uint64_t kChunkBytes = std::uint64_t{1} << 20;
constexpr std::uint8_t kUnsignedByte = 0x08;

std::uint32_t big_endian(const std::uint8_t* bytes) {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 |
         std::uint32_t{bytes[2]} << 8 | std::uint32_t{bytes[3]};
}

// An idx file being read from front to back; every fault names its path.
class IdxFile {
 public:
  explicit IdxFile(const std::filesystem::path& path) : path_(path) {
    errno = 0;
    file_.reset(gzopen(path.c_str(), "rb"));  // reads plain files as they are
    if (!file_) fail(std::string("cannot open it: ") + std::strerror(errno));
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw BadData(path_.string() + ": " + what);
  }

  // The sizes in the header, after checking that the values are bytes in that many dimensions.
  std::vector<std::uint32_t> read_dimensions(std::uint8_t count) {
    std::array<std::uint8_t, 4> magic{};
    read_exactly(magic, "the magic number");
    const std::array<std::uint8_t, 4> expected = {0, 0, kUnsignedByte, count};
    if (magic != expected) {
      fail(fmt::format("magic number 0x{:08x}, expected 0x{:08x} (unsigned bytes, {} dimension{})",
                       big_endian(magic.data()), big_endian(expected.data()), count,
                       count == 1 ? "" : "s"));
    }
    std::vector<std::uint32_t> dimensions;
    for (int i = 0; i < count; ++i) {
      std::array<std::uint8_t, 4> size{};
      read_exactly(size, "the dimensions");
      dimensions.push_back(big_endian(size.data()));
      if (dimensions.back() == 0) fail("a dimension is 0, expected at least one sample");
    }
    return dimensions;
  }

  // All values of an array of these dimensions, which must fill the rest of the file.
  std::vector<std::uint8_t> read_values(const std::vector<std::uint32_t>& dimensions) {
    std::uint64_t size = 1;
    for (const std::uint64_t dimension : dimensions) {
      if (dimension > kMaxBytes / size) {
        fail(fmt::format("dimensions {} exceed 4 GiB", fmt::join(dimensions, " x ")));
      }
      size *= dimension;
    }
    std::vector<std::uint8_t> values;
    while (values.size() < size) {
      const std::size_t held = values.size();
      values.resize(std::min(size, held + kChunkBytes));
      const std::size_t got = read_some(std::span(values).subspan(held));
      values.resize(held + got);
      if (got == 0) {
        fail(fmt::format("truncated: {} bytes of values, expected {} ({})", held, size,
                         fmt::join(dimensions, " x ")));
      }
    }
    require_end(size);
    return values;
  }

 private:
  std::size_t read_some(std::span<std::uint8_t> into) {
    const int got = gzread(file_.get(), into.data(), static_cast<unsigned>(into.size()));
    if (got < 0) {
      int code = Z_OK;
      std::string_view message = gzerror(file_.get(), &code);
      const std::string path = path_.string() + ": ";
      if (message.starts_with(path)) message.remove_prefix(path.size());
      fail("cannot read it: " + std::string(message));
    }
    return static_cast<std::size_t>(got);
  }

  void read_exactly(std::span<std::uint8_t> into, const char* what) {
    if (read_some(into) != into.size()) fail(std::string("ends within ") + what);
  }

  // Reading on past the last value also makes zlib check a gzip file's own sum.
  void require_end(std::uint64_t size) {
    std::array<std::uint8_t, 1> more{};
    if (read_some(more) != 0) {
      fail(fmt::format("has bytes after the {} that its header announces", size));
    }
  }

  struct Close {
    void operator()(gzFile file) const { gzclose(file); }
  };
  std::filesystem::path path_;
  std::unique_ptr<std::remove_pointer_t<gzFile>, Close> file_;
};

std::uint32_t extended_crc(std::uint32_t crc, std::span<const std::uint8_t> bytes) {
  return static_cast<std::uint32_t>(crc32_z(crc, bytes.data(), bytes.size()));
}

}  // namespace

std::span<const std::uint8_t> IdxDataset::image(std::int64_t index) const {
  const std::int64_t pixels = rows * columns;
  return std::span(images).subspan(index * pixels, pixels);
}

std::uint32_t IdxDataset::identity() const {
  const std::string shape = fmt::format("{} {} {}", size(), rows, columns);
  std::uint32_t crc = static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(shape.data()), shape.size()));
  crc = extended_crc(crc, images);
  return extended_crc(crc, labels);
}

IdxDataset read_idx_dataset(const std::filesystem::path& images,
                            const std::filesystem::path& labels) {
  IdxFile image_file(images);
  IdxFile label_file(labels);
  const std::vector<std::uint32_t> shape = image_file.read_dimensions(3);
  const std::vector<std::uint32_t> count = label_file.read_dimensions(1);
  if (shape[0] != count[0]) {
    label_file.fail(fmt::format("{} labels, expected {}, one for each image of {}", count[0],
                                shape[0], images.string()));
  }
  return {.rows = shape[1],
          .columns = shape[2],
          .images = image_file.read_values(shape),
          .labels = label_file.read_values(count)};
}

}  // namespace lockstep
