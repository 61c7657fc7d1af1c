// Making text of others fit to be shown: its size, between UTF-8 characters, and its characters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lockstep {

// At most `bytes` from the start of the text; "..." at the end says that there was more.
std::string head(const std::string& text, std::size_t bytes);

// At most `bytes` from the end of the text.
std::string tail(const std::string& text, std::size_t bytes);

// Without the control characters that steer a terminal; line ends and tabs stay.
std::string printable(std::string_view text);

}  // namespace lockstep
