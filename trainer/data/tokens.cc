// Maps the file and copies windows out of it.
#include "trainer/data/tokens.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "trainer/data/bytes.h"
#include "trainer/errors.h"

namespace lockstep {
namespace {

constexpr std::int64_t kPieces = 64;
constexpr std::int64_t kPiece = 4096;

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& what) {
  throw BadData(path.string() + ": " + what);
}

class File {
 public:
  explicit File(const std::filesystem::path& path)
      : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (fd_ < 0) fail(path, std::string("cannot open it: ") + std::strerror(errno));
  }
  ~File() { ::close(fd_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  // Only regular files have a size that can be mapped.
  std::int64_t size(const std::filesystem::path& path) const {
    struct stat status {};
    if (::fstat(fd_, &status) != 0 || !S_ISREG(status.st_mode)) fail(path, "is no regular file");
    return status.st_size;
  }

  std::shared_ptr<const void> mapped(std::size_t size, const std::filesystem::path& path) const {
    void* address = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, fd_, 0);
    if (address == MAP_FAILED) fail(path, std::string("cannot map it: ") + std::strerror(errno));
    return {address, [size](void* mapping) { ::munmap(mapping, size); }};
  }

 private:
  int fd_;
};

// Files are little-endian; so is every platform this is built for.
template <typename Token>
std::uint32_t token_at(const void* storage, std::int64_t position) {
  return static_cast<const Token*>(storage)[position];
}

}  // namespace

Tokens Tokens::map(const std::filesystem::path& path, TokenWidth width) {
  const File file(path);
  const std::int64_t bytes = file.size(path);
  const std::int64_t each = static_cast<int>(width);
  if (bytes == 0) fail(path, "is empty, expected tokens");
  if (bytes % each != 0) fail(path, fmt::format("{} bytes are no whole tokens of {}", bytes, each));
  return {file.mapped(static_cast<std::size_t>(bytes), path), bytes / each, width};
}

Tokens::Tokens(std::vector<std::uint32_t> tokens)
    : size_(static_cast<std::int64_t>(tokens.size())), width_(TokenWidth::k32Bits) {
  const auto owner = std::make_shared<std::vector<std::uint32_t>>(std::move(tokens));
  storage_ = {owner, owner->data()};
}

std::uint32_t Tokens::operator[](std::int64_t position) const {
  return width_ == TokenWidth::k16Bits ? token_at<std::uint16_t>(storage_.get(), position)
                                       : token_at<std::uint32_t>(storage_.get(), position);
}

std::int64_t Tokens::windows(std::int64_t length) const {
  return std::max<std::int64_t>(0, size_ - length);
}

void Tokens::window(std::int64_t first, std::int64_t vocabulary, std::span<std::int64_t> inputs,
                    std::span<std::int64_t> targets) const {
  const auto length = static_cast<std::int64_t>(inputs.size());
  if (inputs.size() != targets.size() || first < 0 || first >= windows(length)) {
    throw std::out_of_range(fmt::format("a window of {} and {} tokens at {} of {}", length,
                                        targets.size(), first, size_));
  }
  for (std::int64_t i = 0; i <= length; ++i) {
    const std::int64_t token = (*this)[first + i];
    if (token >= vocabulary) {
      throw BadData(fmt::format("token {} at position {}, but the vocabulary has {}", token,
                                first + i, vocabulary));
    }
    if (i < length) inputs[i] = token;
    if (i > 0) targets[i - 1] = token;
  }
}

std::uint32_t Tokens::identity() const {
  Identity identity;
  identity.add(size_);
  const std::int64_t pieces = std::min(kPieces, (size_ + kPiece - 1) / kPiece);
  const std::int64_t last = std::max<std::int64_t>(0, size_ - kPiece);
  for (std::int64_t i = 0; i < pieces; ++i) {
    const std::int64_t first = pieces == 1 ? 0 : last * i / (pieces - 1);
    for (std::int64_t at = first; at < std::min(size_, first + kPiece); ++at)
      identity.add(std::int64_t{(*this)[at]});
  }
  return identity.value();
}

}  // namespace lockstep
