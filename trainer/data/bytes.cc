// Reads through zlib, which takes plain files as they are.
#include "trainer/data/bytes.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>

#include "trainer/errors.h"

namespace lockstep {
namespace {

constexpr std::uintmax_t kLeastRoom = 4096;
constexpr std::uintmax_t kMostRoom = std::uintmax_t{1} << 28;  // gzread counts in 32 bits

struct Close {
  void operator()(gzFile file) const { gzclose(file); }
};
using GzFile = std::unique_ptr<std::remove_pointer_t<gzFile>, Close>;

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& what) {
  throw BadData(path.string() + ": " + what);
}

std::string fault_of(gzFile file, const std::filesystem::path& path) {
  int code = Z_OK;
  std::string_view message = gzerror(file, &code);
  if (code == Z_OK) return "";
  const std::string prefix = path.string() + ": ";
  if (message.starts_with(prefix)) message.remove_prefix(prefix.size());
  return std::string(message);
}

// 0 only at the end of a file without fault.
std::size_t read_some(gzFile file, std::span<std::uint8_t> into,
                      const std::filesystem::path& path) {
  const int got = gzread(file, into.data(), static_cast<unsigned>(into.size()));
  if (got > 0) return static_cast<std::size_t>(got);
  const std::string fault = fault_of(file, path);
  if (got < 0 || !fault.empty()) fail(path, "cannot read it: " + fault);
  return 0;
}

// Right at once for a plain file; the byte more finds its end without another round.
std::size_t first_room(const std::filesystem::path& path) {
  std::error_code unknown;
  const std::uintmax_t size = std::filesystem::file_size(path, unknown);
  return unknown ? kLeastRoom : std::clamp(size + 1, kLeastRoom, kMostRoom);
}

}  // namespace

Bytes read_bytes(const std::filesystem::path& path, std::uint64_t most) {
  errno = 0;
  const GzFile file(gzopen(path.c_str(), "rb"));
  if (!file) fail(path, std::string("cannot open it: ") + std::strerror(errno));
  Bytes bytes(std::min<std::uint64_t>(first_room(path), most + 1));
  std::size_t held = 0;
  while (const std::size_t got = read_some(file.get(), std::span(bytes).subspan(held), path)) {
    held += got;
    if (held > most) fail(path, fmt::format("holds more than the {} bytes that are read", most));
    if (held == bytes.size()) bytes.resize(held + std::clamp(held / 2, kLeastRoom, kMostRoom));
  }
  bytes.resize(held);
  return bytes;
}

std::string_view as_text(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Identity& Identity::add(std::span<const std::uint8_t> bytes) {
  crc_ = static_cast<std::uint32_t>(crc32_z(crc_, bytes.data(), bytes.size()));
  return *this;
}

Identity& Identity::add(std::string_view text) {
  add(static_cast<std::int64_t>(text.size()));
  return add(std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
}

Identity& Identity::add(std::int64_t number) {
  std::uint8_t bytes[8];  // little-endian on every platform
  for (int i = 0; i < 8; ++i)
    bytes[i] = static_cast<std::uint8_t>(static_cast<std::uint64_t>(number) >> 8 * i);
  return add(std::span<const std::uint8_t>(bytes));
}

}  // namespace lockstep
