// Splits, counts, numbers.
#include "trainer/data/vocabulary.h"

#include <algorithm>
#include <stdexcept>
#include <unordered_map>
#include <utility>

namespace lockstep {
namespace {

bool is_space(unsigned char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

bool is_word_part(unsigned char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '\'' ||
         c >= 0x80;
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Bytes of the character that the text begins with; 1 when it begins with none.
std::size_t character_size(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  if (first > 0xf4 || size > text.size()) return 1;
  const bool whole = std::all_of(text.begin() + 1, text.begin() + static_cast<std::ptrdiff_t>(size),
                                 [](unsigned char c) { return (c & 0xc0) == 0x80; });
  return whole ? size : 1;
}

std::size_t word_size(std::string_view text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_word_part);
  return std::max<std::size_t>(1, static_cast<std::size_t>(end - text.begin()));
}

// Calls visit(piece) for each piece, in order.
template <typename Visit>
void for_each_piece(std::string_view text, TextUnit unit, Visit visit) {
  std::string lowered;
  if (unit == TextUnit::kWord) {
    lowered.resize(text.size());
    std::transform(text.begin(), text.end(), lowered.begin(), lower);
    text = lowered;
  }
  while (!text.empty()) {
    const std::size_t size = unit == TextUnit::kByte        ? 1
                             : unit == TextUnit::kCharacter ? character_size(text)
                                                            : word_size(text);
    if (unit != TextUnit::kWord || !is_space(text[0])) visit(text.substr(0, size));
    text.remove_prefix(size);
  }
}

std::vector<std::string> all_bytes() {
  std::vector<std::string> bytes;
  for (int byte = 0; byte < 256; ++byte) bytes.emplace_back(1, static_cast<char>(byte));
  return bytes;
}

}  // namespace

std::vector<std::string> split_text(std::string_view text, TextUnit unit) {
  std::vector<std::string> pieces;
  for_each_piece(text, unit, [&](std::string_view piece) { pieces.emplace_back(piece); });
  return pieces;
}

Vocabulary Vocabulary::build(std::span<const std::string> texts, const VocabularyRules& rules) {
  if (rules.min_count < 1 || rules.most < 1) {
    throw std::invalid_argument("a vocabulary needs a least count and a size above 0");
  }
  if (rules.unit == TextUnit::kByte) return {rules.unit, all_bytes()};
  std::unordered_map<std::string, std::int64_t> counts;
  for (const std::string& text : texts) {
    for_each_piece(text, rules.unit, [&](std::string_view piece) { ++counts[std::string(piece)]; });
  }
  std::vector<std::pair<std::int64_t, std::string>> order;  // by falling count, then by bytes
  for (const auto& [piece, count] : counts) {
    if (count >= rules.min_count) order.emplace_back(-count, piece);
  }
  std::ranges::sort(order);
  order.resize(std::min<std::size_t>(order.size(), static_cast<std::size_t>(rules.most)));
  std::vector<std::string> pieces;
  for (auto& [count, piece] : order) pieces.push_back(std::move(piece));
  return {rules.unit, std::move(pieces)};
}

Vocabulary::Vocabulary(TextUnit unit, std::vector<std::string> pieces)
    : unit_(unit), pieces_(std::move(pieces)) {
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    ids_.emplace(pieces_[i], kFirst + static_cast<std::int32_t>(i));
  }
}

std::vector<std::int32_t> Vocabulary::encode(std::string_view text) const {
  std::vector<std::int32_t> encoded;
  for_each_piece(text, unit_, [&](std::string_view piece) {
    const auto id = ids_.find(piece);
    encoded.push_back(id == ids_.end() ? kUnknown : id->second);
  });
  return encoded;
}

std::string Vocabulary::decode(std::span<const std::int32_t> ids) const {
  std::string text;
  for (const std::int32_t id : ids) {
    if (id == kPadding) continue;
    if (unit_ == TextUnit::kWord && !text.empty()) text += ' ';
    text += id >= kFirst && id < size() ? pieces_[id - kFirst] : "?";
  }
  return text;
}

EncodedTexts::EncodedTexts(std::span<const std::string> texts, const Vocabulary& vocabulary,
                           std::int64_t longest) {
  if (longest < 1) throw std::invalid_argument("a text needs room for at least 1 piece");
  for (const std::string& text : texts) {
    std::vector<std::int32_t> ids = vocabulary.encode(text);
    if (ids.empty()) ids.push_back(Vocabulary::kUnknown);
    ids.resize(std::min<std::size_t>(ids.size(), static_cast<std::size_t>(longest)));
    begins_.push_back(static_cast<std::int64_t>(ids_.size()));
    lengths_.push_back(static_cast<std::int64_t>(ids.size()));
    ids_.insert(ids_.end(), ids.begin(), ids.end());
  }
}

std::span<const std::int32_t> EncodedTexts::operator[](std::int64_t index) const {
  return std::span(ids_).subspan(begins_[index], lengths_[index]);
}

std::int64_t EncodedTexts::width(std::span<const std::int64_t> indices) const {
  std::int64_t width = 0;
  for (const std::int64_t index : indices) width = std::max(width, lengths_[index]);
  return width;
}

void EncodedTexts::copy_padded(std::span<const std::int64_t> indices,
                               std::span<std::int64_t> ids) const {
  const std::size_t columns = width(indices);
  if (ids.size() != indices.size() * columns) {
    throw std::invalid_argument("a batch of texts does not fit the memory it is to go to");
  }
  std::ranges::fill(ids, Vocabulary::kPadding);
  for (std::size_t row = 0; row < indices.size(); ++row) {
    std::ranges::copy((*this)[indices[row]],
                      ids.begin() + static_cast<std::ptrdiff_t>(row * columns));
  }
}

}  // namespace lockstep
