// Fuzzes the reader of torch.save's files: what it accepts is written again and read back as the
// same. An input that is no archive is the pickle in one, so that sums need not be guessed.
#include "trainer/state/python_file.h"

#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "tests/fuzz/target.h"
#include "trainer/state/stored_zip.h"

namespace {

using lockstep::PythonFile;
using Bytes = std::vector<std::byte>;

PythonFile parsed(std::span<const std::byte> bytes) {
  auto copy = std::make_unique<std::byte[]>(bytes.size());
  if (!bytes.empty()) std::memcpy(copy.get(), bytes.data(), bytes.size());
  return PythonFile::parse(std::move(copy), bytes.size(), "input");
}

template <typename Write>
Bytes collected(const Write& write) {
  Bytes bytes;
  write([&](std::span<const std::byte> piece) {
    bytes.insert(bytes.end(), piece.begin(), piece.end());
  });
  return bytes;
}

Bytes archive_of(std::span<const std::byte> pickle) {
  static const Bytes data(4096);
  std::vector<lockstep::ZipMember> members = {{.name = "a/data.pkl", .bytes = pickle}};
  for (std::size_t size = 8; const char* name : {"a/data/0", "a/data/1", "a/data/2", "a/data/3"}) {
    members.push_back({.name = name, .bytes = std::span(data).first(size)});
    size *= 3;
  }
  return collected([&](const auto& sink) { lockstep::write_stored_zip(members, sink); });
}

Bytes written(const PythonFile& file) {
  return collected([&](const auto& sink) { lockstep::write_python_file(file.tensors(), sink); });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  lockstep::fuzz::may_refuse([&] {
    const std::span input(reinterpret_cast<const std::byte*>(data), size);
    const bool is_archive = lockstep::is_python_file(input);
    const PythonFile file =
        parsed(is_archive ? Bytes(input.begin(), input.end()) : archive_of(input));
    const Bytes bytes = written(file);
    const PythonFile again = parsed(bytes);
    lockstep::fuzz::must(again.tensors().size() == file.tensors().size());
    lockstep::fuzz::must(written(again) == bytes);
  });
  return 0;
}
