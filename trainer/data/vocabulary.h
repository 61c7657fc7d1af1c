// Numbers for the pieces of texts: bytes, characters or words.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

enum class TextUnit {
  kByte,
  kCharacter,  // of UTF-8; a byte that begins no character stands for itself
  kWord        // a run of letters, digits, apostrophes and bytes above 127, or any other single
               // character; A to Z count as a to z, white space separates and is dropped
};

struct VocabularyRules {
  TextUnit unit = TextUnit::kWord;
  std::int64_t min_count = 1;  // rarer pieces are unknown
  std::int64_t most = 50'000;  // of the pieces only so many, the most frequent
};

// A pure function of texts and rules: ids go by falling count, ties by byte order. Bytes are not
// counted: each of the 256 has its id.
class Vocabulary {
 public:
  static constexpr std::int32_t kPadding = 0;
  static constexpr std::int32_t kUnknown = 1;
  static constexpr std::int32_t kFirst = 2;

  // From the training texts only: then validation cannot leak. Throws invalid_argument when
  // min_count or most is below 1.
  static Vocabulary build(std::span<const std::string> texts, const VocabularyRules& rules);

  // From the pieces of an earlier one, such as a checkpoint's.
  Vocabulary(TextUnit unit, std::vector<std::string> pieces);

  std::int64_t size() const { return kFirst + static_cast<std::int64_t>(pieces_.size()); }
  const std::vector<std::string>& pieces() const { return pieces_; }  // the first has id kFirst

  std::vector<std::int32_t> encode(std::string_view text) const;
  // The pieces joined, words by spaces; unknown ids as "?", padding as nothing.
  std::string decode(std::span<const std::int32_t> ids) const;

 private:
  TextUnit unit_;
  std::vector<std::string> pieces_;
  std::map<std::string, std::int32_t, std::less<>> ids_;
};

// The pieces of a text, in order.
std::vector<std::string> split_text(std::string_view text, TextUnit unit);

// Encoded texts one after another in flat arrays.
class EncodedTexts {
 public:
  // Each text is cut at `longest` pieces; one without any is one kUnknown, so no length is 0.
  EncodedTexts(std::span<const std::string> texts, const Vocabulary& vocabulary,
               std::int64_t longest);

  std::int64_t size() const { return static_cast<std::int64_t>(lengths_.size()); }
  const std::vector<std::int64_t>& lengths() const { return lengths_; }  // what buckets go by
  std::span<const std::int32_t> operator[](std::int64_t index) const;

  // The longest of these texts: the width of their batch.
  std::int64_t width(std::span<const std::int64_t> indices) const;
  // Writes a batch [indices, width]: ids with kPadding behind each text. `ids` holds
  // indices.size() * width(indices) values.
  void copy_padded(std::span<const std::int64_t> indices, std::span<std::int64_t> ids) const;

 private:
  std::vector<std::int32_t> ids_;
  std::vector<std::int64_t> begins_;
  std::vector<std::int64_t> lengths_;
};

}  // namespace lockstep
