// Cuts the body of a list or of a watch into its objects while the bytes arrive.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "operator/base/result.h"

namespace lockstep {

// A list is one object whose "items" are cut out one by one; a watch is one object after another.
// The bytes may be cut anywhere. Memory: one item and, for a list, what surrounds the items.
// Errors: kInvalid for bytes that cannot be JSON or an item over kMaxItemBytes; kUnavailable from
// finish() when the body ended too early. What on_item returns is passed on; after an error the
// splitter must not be fed again.
class Splitter {
 public:
  enum class Shape { kList, kWatch };
  // The view is valid during the call only. It is a balanced object; nothing more was checked.
  using OnItem = std::function<Result<void>(std::string_view item)>;

  static constexpr std::size_t kMaxItemBytes = std::size_t{16} << 20;

  Splitter(Shape shape, OnItem on_item);

  Result<void> feed(std::string_view bytes);

  // The body has ended. Returns, for a list, the document with its items left out.
  Result<std::string> finish();

 private:
  Result<void> take(char c);
  Result<void> open(char c);
  Result<void> close(char c);
  void take_in_string(char c);
  bool is_item_level() const;
  Result<void> keep(char c);
  Result<void> flush_item();

  const Shape shape_;
  const OnItem on_item_;
  std::string nesting_;  // the open brackets, outermost first
  bool is_in_string_ = false;
  bool is_escaped_ = false;
  bool is_in_items_ = false;  // kList: inside the array "items"
  bool is_in_item_ = false;
  bool has_list_ended_ = false;
  std::string key_;       // kList: the last string of the outermost object
  std::string item_;      // the bytes of the item so far
  std::string envelope_;  // kList: all other bytes
};

}  // namespace lockstep
