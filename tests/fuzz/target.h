// What each fuzz target consists of: a function that may refuse its input in one way only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "trainer/errors.h"

namespace lockstep::fuzz {

using Input = std::span<const std::uint8_t>;

inline std::string_view text_of(Input input) {
  return {reinterpret_cast<const char*>(input.data()), input.size()};
}

// Reads; bad data may be refused. Any other exception, crash or sanitizer report is a finding, and
// so is a refusal that is no sentence.
template <typename Read>
void may_refuse(Read read) {
  try {
    read();
  } catch (const BadData& fault) {
    if (std::string_view(fault.what()).size() < 10) __builtin_trap();
  }
}

// A property that must hold of what was accepted.
inline void must(bool holds) {
  if (!holds) __builtin_trap();
}

}  // namespace lockstep::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
