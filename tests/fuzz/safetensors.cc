// Fuzzes the safetensors reader: what it accepts is written again and read back as the same.
#include "trainer/state/safetensors.h"

#include <cstring>
#include <memory>
#include <vector>

#include "tests/fuzz/target.h"

namespace {

using lockstep::Safetensors;

Safetensors parsed(const std::byte* bytes, std::size_t size) {
  auto copy = std::make_unique<std::byte[]>(size);
  if (size > 0) std::memcpy(copy.get(), bytes, size);
  return Safetensors::parse(std::move(copy), size, "input");
}

std::vector<std::byte> written(const Safetensors& file) {
  std::vector<std::byte> bytes;
  lockstep::write_safetensors(file.tensors(), file.metadata(),
                              [&](std::span<const std::byte> piece) {
                                bytes.insert(bytes.end(), piece.begin(), piece.end());
                              });
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  lockstep::fuzz::may_refuse([&] {
    const Safetensors file = parsed(reinterpret_cast<const std::byte*>(data), size);
    const std::vector<std::byte> bytes = written(file);
    const Safetensors again = parsed(bytes.data(), bytes.size());
    lockstep::fuzz::must(again.tensors().size() == file.tensors().size());
    lockstep::fuzz::must(again.metadata() == file.metadata() && written(again) == bytes);
  });
  return 0;
}
