// A scanner that knows of JSON only strings and brackets: all that it takes to find the items.
#include "operator/kube/splitter.h"

#include <utility>

namespace lockstep {
namespace {

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

// Where the bytes stop that are neither a quote nor an escape: most of a body, taken at once.
std::size_t end_of_plain_text(std::string_view bytes, std::size_t from) {
  const std::size_t end = bytes.find_first_of("\"\\", from);
  return end == std::string_view::npos ? bytes.size() : end;
}

}  // namespace

Splitter::Splitter(Shape shape, OnItem on_item) : shape_(shape), on_item_(std::move(on_item)) {}

Result<void> Splitter::feed(std::string_view bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    if (is_in_item_ && is_in_string_ && !is_escaped_) {
      const std::size_t end = end_of_plain_text(bytes, at);
      item_.append(bytes, at, end - at);
      at = end;
      if (at == bytes.size()) break;
    }
    TRY(take(bytes[at++]));
  }
  if (item_.size() > kMaxItemBytes) {
    return failure(Kind::kInvalid, "one object of the answer is larger than 16 MiB");
  }
  return {};
}

Result<std::string> Splitter::finish() {
  const bool is_whole = nesting_.empty() && (shape_ == Shape::kWatch || has_list_ended_);
  if (!is_whole) return failure(Kind::kUnavailable, "the answer ended in the middle of an object");
  return std::move(envelope_);
}

bool Splitter::is_item_level() const {
  return shape_ == Shape::kWatch ? nesting_.empty() : is_in_items_ && nesting_.size() == 2;
}

Result<void> Splitter::take(char c) {
  if (is_in_string_) {
    take_in_string(c);
    return keep(c);
  }
  switch (c) {
    case '{':
    case '[':
      return open(c);
    case '}':
    case ']':
      return close(c);
    case '"':
      is_in_string_ = true;
      if (nesting_.size() == 1) key_.clear();
      break;
    default:
      break;
  }
  if (is_item_level()) {
    // Between items only white space and, in a list, commas can stand.
    if (is_space(c) || (shape_ == Shape::kList && c == ',')) return {};
    return failure(Kind::kInvalid, "the answer is not a sequence of JSON objects");
  }
  if (nesting_.empty() && !is_space(c)) {
    return failure(Kind::kInvalid, "the answer is not one JSON object");
  }
  return keep(c);
}

void Splitter::take_in_string(char c) {
  if (is_escaped_) {
    is_escaped_ = false;
  } else if (c == '\\') {
    is_escaped_ = true;
  } else if (c == '"') {
    is_in_string_ = false;
    return;
  }
  if (nesting_.size() == 1 && shape_ == Shape::kList) key_ += c;
}

Result<void> Splitter::open(char c) {
  if (is_item_level()) {
    if (c != '{') return failure(Kind::kInvalid, "an item of the answer is not a JSON object");
    is_in_item_ = true;
  } else if (nesting_.empty() && (c != '{' || has_list_ended_)) {
    return failure(Kind::kInvalid, "the answer is not a JSON object");
  }
  nesting_ += c;
  TRY(keep(c));
  if (shape_ == Shape::kList && c == '[' && nesting_.size() == 2 && key_ == "items") {
    is_in_items_ = true;
  }
  return {};
}

Result<void> Splitter::close(char c) {
  const char opener = c == '}' ? '{' : '[';
  if (nesting_.empty() || nesting_.back() != opener) {
    return failure(Kind::kInvalid, "the answer has unbalanced brackets");
  }
  if (is_item_level()) is_in_items_ = false;
  nesting_.pop_back();
  TRY(keep(c));
  if (shape_ == Shape::kList && nesting_.empty()) has_list_ended_ = true;
  if (is_in_item_ && is_item_level()) return flush_item();
  return {};
}

Result<void> Splitter::keep(char c) {
  if (is_in_item_) {
    item_ += c;
    return {};
  }
  if (shape_ == Shape::kList) envelope_ += c;
  if (envelope_.size() > kMaxItemBytes) {
    return failure(Kind::kInvalid, "the answer is larger than 16 MiB without its items");
  }
  return {};
}

Result<void> Splitter::flush_item() {
  is_in_item_ = false;
  const Result<void> taken = on_item_(item_);
  item_.clear();
  return taken;
}

}  // namespace lockstep
