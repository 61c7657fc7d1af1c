// Files whose contents survive a crash: every function but read_input() throws StorageError with
// one sentence that names the path and what the system said. Private to state/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace lockstep {

struct FileContent {
  std::unique_ptr<std::byte[]> bytes;
  std::size_t size = 0;

  std::string_view text() const { return {reinterpret_cast<const char*>(bytes.get()), size}; }
};

// A whole regular file.
FileContent read_file(const std::filesystem::path& path);

// The same of a file that the user names: throws BadData with that sentence.
FileContent read_input(const std::filesystem::path& path);

// CRC-32 as in zlib and gzip.
std::uint32_t crc32_of(std::span<const std::byte> bytes);

// A new file, written from front to back; counts and sums what goes in.
class DurableFile {
 public:
  explicit DurableFile(std::filesystem::path path);  // must not exist yet
  ~DurableFile();
  DurableFile(const DurableFile&) = delete;
  DurableFile& operator=(const DurableFile&) = delete;

  void write(std::span<const std::byte> bytes);
  void finish();  // to stable storage, then closed; without it the file is as good as unwritten

  std::uint64_t size() const { return size_; }
  std::uint32_t crc32() const { return crc32_; }

 private:
  std::filesystem::path path_;
  int descriptor_;
  std::uint64_t size_ = 0;
  std::uint32_t crc32_ = 0;
};

// Makes the names in a directory durable.
void sync_directory(const std::filesystem::path& directory);

// Atomic: `to` is the old thing or the new one. Both in one directory, which is synced.
void rename_durably(const std::filesystem::path& from, const std::filesystem::path& to);

// Sets a file in one step, by way of `.NAME.aside` beside it, which `fill` writes.
void replace_file(const std::filesystem::path& path, const std::function<void(DurableFile&)>& fill);

// The same of a small text file.
void replace_text(const std::filesystem::path& path, std::string_view text);

}  // namespace lockstep
