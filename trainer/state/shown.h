// Names out of a file, as they may stand in a message. Private to state/.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace lockstep {

// At most 200 bytes, control characters as '?': a message is one line and ends at no zero.
inline std::string shown(std::string_view text) {
  std::string result(text.substr(0, 200));
  std::ranges::replace_if(
      result, [](unsigned char byte) { return byte < ' ' || byte == 0x7f; }, '?');
  return result;
}

}  // namespace lockstep
