// Golden values that torch's own code produced (golden/make_sampler_goldens.py).
#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/temporary_directory.h"

namespace lockstep::testing {

inline nlohmann::json golden_cases(const std::string& name) {
  return nlohmann::json::parse(content_of(std::string(GOLDEN_DIR) + "/" + name));
}

// Short lists are stored as they are, long ones as length and CRC-32.
inline void expect_golden(const nlohmann::json& golden, const std::vector<std::int64_t>& indices) {
  if (golden.contains("indices")) {
    EXPECT_EQ(indices, golden["indices"].get<std::vector<std::int64_t>>()) << golden;
    return;
  }
  EXPECT_EQ(indices.size(), golden["count"].get<std::size_t>()) << golden;
  const auto* bytes = reinterpret_cast<const Bytef*>(indices.data());
  EXPECT_EQ(crc32_z(0, bytes, indices.size() * sizeof indices[0]),
            golden["crc32"].get<std::uint32_t>())
      << golden;
}

}  // namespace lockstep::testing
