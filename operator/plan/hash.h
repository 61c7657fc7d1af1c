// A hash that is the same on every machine and in every version.
#pragma once

#include <cstdint>
#include <string>

namespace lockstep {

// FNV-1a.
inline std::uint32_t stable_hash(const std::string& text) {
  std::uint32_t value = 2166136261u;
  for (const unsigned char byte : text) value = (value ^ byte) * 16777619u;
  return value;
}

}  // namespace lockstep
