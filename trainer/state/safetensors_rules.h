// What the reader and the writer of safetensors must agree on. Private to state/.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "trainer/state/safetensors.h"

namespace lockstep {

inline constexpr char kMetadataKey[] = "__metadata__";
inline constexpr std::uint64_t kMaxHeaderBytes =
    100'000'000;  // the limit of the format's own reader

// nullopt for a name this reader does not know.
std::optional<Dtype> dtype_named(std::string_view name);

// Bytes of a contiguous tensor; nullopt when a length is negative or the product leaves 64 bits.
std::optional<std::uint64_t> tensor_bytes(Dtype dtype, std::span<const std::int64_t> shape);

}  // namespace lockstep
