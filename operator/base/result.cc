// The names of error kinds.
#include "operator/base/result.h"

namespace lockstep {

std::string_view kind_name(Kind kind) {
  switch (kind) {
    case Kind::kNotFound:
      return "NotFound";
    case Kind::kConflict:
      return "Conflict";
    case Kind::kInvalid:
      return "Invalid";
    case Kind::kForbidden:
      return "Forbidden";
    case Kind::kThrottled:
      return "Throttled";
    case Kind::kUnavailable:
      return "Unavailable";
    case Kind::kGone:
      return "Gone";
    case Kind::kCancelled:
      return "Cancelled";
  }
  return "Unknown";
}

}  // namespace lockstep
