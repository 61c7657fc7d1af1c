// Cutting text to size, between UTF-8 characters.
#pragma once

#include <cstddef>
#include <string>

namespace lockstep {

// At most `bytes` from the start of the text; "..." at the end says that there was more.
std::string head(const std::string& text, std::size_t bytes);

// At most `bytes` from the end of the text.
std::string tail(const std::string& text, std::size_t bytes);

}  // namespace lockstep
