// A long sequence of token numbers, cut into windows: what a language model is trained on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

namespace lockstep {

enum class TokenWidth { k16Bits = 2, k32Bits = 4 };  // bytes each

// Immutable; copies share the storage. Any thread may read.
class Tokens {
 public:
  // Maps a file of bare little-endian numbers (nanoGPT's train.bin), so that it takes no memory of
  // the process; it must not shrink while it is in use. Throws BadData "<path>: ..." for a file
  // that cannot be read, is empty or no whole number of tokens.
  static Tokens map(const std::filesystem::path& path, TokenWidth width);
  explicit Tokens(std::vector<std::uint32_t> tokens);

  std::int64_t size() const { return size_; }
  std::uint32_t operator[](std::int64_t position) const;  // position in [0, size())

  // How many windows of this length have a token behind each of theirs: first in [0, windows()).
  std::int64_t windows(std::int64_t length) const;

  // inputs[i] is the token at first + i, targets[i] the one behind it; both spans are the window's
  // length. Throws out_of_range when the window leaves the sequence, BadData for a token that is
  // not below `vocabulary`, with its position.
  void window(std::int64_t first, std::int64_t vocabulary, std::span<std::int64_t> inputs,
              std::span<std::int64_t> targets) const;

  // CRC-32 over the length and the first, the last and 62 more evenly spread pieces of 4096 tokens:
  // all tokens of a short sequence; a long one would take minutes to read.
  std::uint32_t identity() const;

 private:
  Tokens(std::shared_ptr<const void> storage, std::int64_t size, TokenWidth width)
      : storage_(std::move(storage)), size_(size), width_(width) {}

  std::shared_ptr<const void> storage_;
  std::int64_t size_;
  TokenWidth width_;
};

}  // namespace lockstep
