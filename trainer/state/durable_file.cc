// Plain system calls, each checked, so that no failing disk goes unnoticed.
#include "trainer/state/durable_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "trainer/errors.h"

namespace lockstep {
namespace {

constexpr std::size_t kMostPerCall = std::size_t{1} << 30;  // Linux moves at most 2 GiB per call

std::string sentence(const char* verb, const std::filesystem::path& path, const char* reason) {
  return std::string("cannot ") + verb + " " + path.string() + ": " + reason;
}

[[noreturn]] void fail(const char* verb, const std::filesystem::path& path, const char* reason) {
  throw StorageError(sentence(verb, path, reason));
}

[[noreturn]] void fail(const char* verb, const std::filesystem::path& path) {
  fail(verb, path, std::strerror(errno));
}

// A descriptor that is closed at the end of its scope, where a failing close loses nothing.
class ScopedDescriptor {
 public:
  explicit ScopedDescriptor(int descriptor) : descriptor_(descriptor) {}
  ~ScopedDescriptor() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  ScopedDescriptor(const ScopedDescriptor&) = delete;
  ScopedDescriptor& operator=(const ScopedDescriptor&) = delete;
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

void read_fully(int descriptor, std::span<std::byte> into, const std::filesystem::path& path) {
  while (!into.empty()) {
    const ssize_t got = ::read(descriptor, into.data(), std::min(into.size(), kMostPerCall));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("read", path);
    if (got == 0) fail("read", path, "it became shorter while it was read");
    into = into.subspan(got);
  }
}

}  // namespace

FileContent read_file(const std::filesystem::path& path) {
  const ScopedDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (file.get() < 0 && (errno == ENOENT || errno == ENOTDIR)) {
    throw AbsentFile(sentence("read", path, std::strerror(errno)));
  }
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0) fail("read", path);
  if (!S_ISREG(status.st_mode)) {
    throw AbsentFile(sentence("read", path, "it is not a regular file"));
  }
  FileContent content;
  content.size = static_cast<std::size_t>(status.st_size);
  content.bytes = std::make_unique_for_overwrite<std::byte[]>(content.size);
  read_fully(file.get(), {content.bytes.get(), content.size}, path);
  return content;
}

FileContent read_input(const std::filesystem::path& path) {
  try {
    return read_file(path);
  } catch (const StorageError& fault) {
    throw BadData(fault.what());
  }
}

std::uint32_t crc32_of(std::span<const std::byte> bytes) {
  return static_cast<std::uint32_t>(
      ::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

DurableFile::DurableFile(std::filesystem::path path)
    : path_(std::move(path)),
      descriptor_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644)) {
  if (descriptor_ < 0) fail("create", path_);
}

DurableFile::~DurableFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void DurableFile::write(std::span<const std::byte> bytes) {
  crc32_ = static_cast<std::uint32_t>(
      ::crc32_z(crc32_, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
  size_ += bytes.size();
  while (!bytes.empty()) {
    const ssize_t put = ::write(descriptor_, bytes.data(), std::min(bytes.size(), kMostPerCall));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail("write", path_);
    bytes = bytes.subspan(put);
  }
}

void DurableFile::finish() {
  if (::fsync(descriptor_) != 0) fail("sync", path_);
  if (::close(std::exchange(descriptor_, -1)) != 0) fail("close", path_);
}

void sync_directory(const std::filesystem::path& directory) {
  const ScopedDescriptor opened(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.get() < 0) fail("open", directory);
  // Some network file systems refuse this call and keep names in order by themselves.
  if (::fsync(opened.get()) != 0 && errno != EINVAL && errno != ENOTSUP) fail("sync", directory);
}

void rename_durably(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) fail("rename to", to);
  sync_directory(to.parent_path());
}

void replace_file(const std::filesystem::path& path,
                  const std::function<void(DurableFile&)>& fill) {
  const std::filesystem::path aside =
      path.parent_path() / ("." + path.filename().string() + ".aside");
  std::error_code absent_is_fine;
  std::filesystem::remove(aside, absent_is_fine);
  try {
    DurableFile file(aside);
    fill(file);
    file.finish();
  } catch (...) {
    std::filesystem::remove(aside, absent_is_fine);  // a full disk gets its room back
    throw;
  }
  rename_durably(aside, path);
}

void replace_text(const std::filesystem::path& path, std::string_view text) {
  replace_file(path, [&](DurableFile& file) { file.write(std::as_bytes(std::span(text))); });
}

}  // namespace lockstep
