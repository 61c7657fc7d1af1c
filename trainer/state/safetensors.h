// Reads and writes the safetensors format: u64 little-endian header length, a JSON header
// {name: {dtype, shape, data_offsets}, "__metadata__": {...}}, then the tensors' bytes without
// gaps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

// In the order by which the format's own writer sorts tensors (a larger alignment is a larger
// value).
enum class Dtype {
  kBool,
  kU8,
  kI8,
  kF8E5M2,
  kF8E4M3,
  kI16,
  kU16,
  kF16,
  kBF16,
  kI32,
  kU32,
  kF32,
  kF64,
  kI64,
  kU64
};

std::string_view dtype_name(Dtype dtype);  // "F32", as in the header
std::size_t dtype_size(Dtype dtype);       // bytes per element

// A named tensor, row-major and contiguous, little-endian; the bytes belong to somebody else.
struct TensorRecord {
  std::string name;
  Dtype dtype = Dtype::kF32;
  std::vector<std::int64_t> shape;  // empty: one element
  std::span<const std::byte> bytes;
};

using Metadata = std::map<std::string, std::string>;
using ByteSink = std::function<void(std::span<const std::byte>)>;

// Hands the whole file to `sink` piece by piece. The bytes are a function of the arguments' values,
// whatever their order, and equal those of Python's safetensors.serialize. Throws invalid_argument,
// before the first piece, for a duplicate, empty or reserved name, text that is not UTF-8, or bytes
// that do not fit dtype and shape.
void write_safetensors(std::span<const TensorRecord> tensors, const Metadata& metadata,
                       const ByteSink& sink);

// A whole file in memory, checked. Movable; the records' bytes live as long as it does. A file of
// ours aligns each tensor to its dtype; another writer's may not, so copy bytes rather than cast
// pointers.
class Safetensors {
 public:
  // Strict: throws BadData "<origin>: <what is wrong>" for a header over 100 MB or not JSON of the
  // shape above, a duplicate name or key, an unknown dtype, offsets that overlap, leave a hole or
  // leave the file, and bytes that do not fit dtype and shape. Memory used stays within a small
  // multiple of the size.
  static Safetensors parse(std::unique_ptr<std::byte[]> content, std::size_t size,
                           const std::string& origin);

  // The same of a file; also throws BadData when it cannot be read.
  static Safetensors read(const std::filesystem::path& path);

  const std::vector<TensorRecord>& tensors() const { return tensors_; }  // ordered by name
  const TensorRecord* find(std::string_view name) const;                 // nullptr if absent
  const Metadata& metadata() const { return metadata_; }

 private:
  std::unique_ptr<std::byte[]> content_;
  std::vector<TensorRecord> tensors_;
  Metadata metadata_;
};

}  // namespace lockstep
