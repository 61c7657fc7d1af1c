// Errors as values. Result<T> is a T or an Error; the Error's kind says what the caller should do.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace lockstep {

enum class Kind {
  kNotFound,     // the object does not exist: usually a fact to plan with, not a fault
  kConflict,     // somebody else wrote first, or the name is taken: look again
  kInvalid,      // the request or the answer makes no sense: do not repeat it unchanged
  kForbidden,    // identity or permission: say which verb on which resource is missing
  kThrottled,    // the server asks to wait
  kUnavailable,  // no or no whole answer: repeat with back-off; a write may have happened
  kGone,         // the resourceVersion is too old: list again
  kCancelled,    // we are stopping
};

// "NotFound", "Conflict", ...: for logs and metrics.
std::string_view kind_name(Kind kind);

struct Error {
  Kind kind = Kind::kUnavailable;
  std::string message;          // one sentence, no trailing newline
  int retry_after_seconds = 0;  // kThrottled only: what the server asked for, 0 if nothing
  std::string reason = {};      // the API server's own reason ("AlreadyExists", "Expired"), if any
};

template <typename T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> failure(Kind kind, std::string message) {
  return tl::unexpected<Error>(Error{kind, std::move(message)});
}

}  // namespace lockstep

// TRY(expression): its value, or return its error from the enclosing function.
#define TRY(expression)                                                      \
  ({                                                                         \
    auto&& try_result = (expression);                                        \
    if (!try_result) return ::tl::unexpected(std::move(try_result).error()); \
    ::lockstep::detail::take(std::move(try_result));                         \
  })

namespace lockstep::detail {
template <typename T>
T take(tl::expected<T, Error>&& result) {
  return std::move(*result);
}
inline void take(tl::expected<void, Error>&&) {}
}  // namespace lockstep::detail
