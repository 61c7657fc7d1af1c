// The writing half, and what both halves know of dtypes.
#include "trainer/state/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "trainer/state/safetensors_rules.h"

namespace lockstep {
namespace {

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

struct DtypeRow {
  std::string_view name;
  std::size_t size;
};
constexpr std::array<DtypeRow, 15> kDtypes = {{{"BOOL", 1},
                                               {"U8", 1},
                                               {"I8", 1},
                                               {"F8_E5M2", 1},
                                               {"F8_E4M3", 1},
                                               {"I16", 2},
                                               {"U16", 2},
                                               {"F16", 2},
                                               {"BF16", 2},
                                               {"I32", 4},
                                               {"U32", 4},
                                               {"F32", 4},
                                               {"F64", 8},
                                               {"I64", 8},
                                               {"U64", 8}}};

void require_writable(const TensorRecord& tensor) {
  if (tensor.name.empty() || tensor.name == kMetadataKey) {
    throw std::invalid_argument("a tensor cannot be named '" + tensor.name +
                                "' in a safetensors file");
  }
  const auto size = tensor_bytes(tensor.dtype, tensor.shape);
  if (!size || *size != tensor.bytes.size()) {
    throw std::invalid_argument(fmt::format("tensor '{}' of {} [{}] has {} bytes", tensor.name,
                                            dtype_name(tensor.dtype), fmt::join(tensor.shape, ", "),
                                            tensor.bytes.size()));
  }
}

// Larger alignments first, so that every tensor is aligned without gaps; then by name.
std::vector<TensorRecord> in_file_order(std::span<const TensorRecord> tensors) {
  std::vector<TensorRecord> ordered(tensors.begin(), tensors.end());
  std::ranges::sort(ordered, [](const TensorRecord& a, const TensorRecord& b) {
    return a.dtype != b.dtype ? a.dtype > b.dtype : a.name < b.name;
  });
  return ordered;
}

// Length and JSON, padded so that the tensors begin at a multiple of eight.
std::string header_of(const std::vector<TensorRecord>& ordered, const Metadata& metadata) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) header[kMetadataKey] = metadata;
  std::uint64_t offset = 0;
  for (const TensorRecord& tensor : ordered) {
    if (header.contains(tensor.name)) {
      throw std::invalid_argument("two tensors are named '" + tensor.name + "'");
    }
    header[tensor.name] = {{"dtype", dtype_name(tensor.dtype)},
                           {"shape", tensor.shape},
                           {"data_offsets", {offset, offset + tensor.bytes.size()}}};
    offset += tensor.bytes.size();
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  if (text.size() > kMaxHeaderBytes) {
    throw std::invalid_argument(
        fmt::format("{} tensors need a header over {} bytes", ordered.size(), kMaxHeaderBytes));
  }
  const std::uint64_t length = text.size();
  return std::string(reinterpret_cast<const char*>(&length), sizeof length) + text;
}

}  // namespace

std::string_view dtype_name(Dtype dtype) { return kDtypes[static_cast<std::size_t>(dtype)].name; }

std::size_t dtype_size(Dtype dtype) { return kDtypes[static_cast<std::size_t>(dtype)].size; }

std::optional<Dtype> dtype_named(std::string_view name) {
  const auto row = std::ranges::find(kDtypes, name, &DtypeRow::name);
  if (row == kDtypes.end()) return std::nullopt;
  return static_cast<Dtype>(row - kDtypes.begin());
}

std::optional<std::uint64_t> tensor_bytes(Dtype dtype, std::span<const std::int64_t> shape) {
  std::uint64_t bytes = dtype_size(dtype);
  for (const std::int64_t length : shape) {
    if (length < 0 || __builtin_mul_overflow(bytes, static_cast<std::uint64_t>(length), &bytes)) {
      return std::nullopt;
    }
  }
  return bytes;
}

void write_safetensors(std::span<const TensorRecord> tensors, const Metadata& metadata,
                       const ByteSink& sink) {
  std::ranges::for_each(tensors, require_writable);
  const std::vector<TensorRecord> ordered = in_file_order(tensors);
  std::string header;
  try {
    header = header_of(ordered, metadata);
  } catch (const nlohmann::json::type_error&) {
    throw std::invalid_argument("a tensor name or metadata text is not UTF-8");
  }
  sink(std::as_bytes(std::span(header)));
  for (const TensorRecord& tensor : ordered) sink(tensor.bytes);
}

}  // namespace lockstep
