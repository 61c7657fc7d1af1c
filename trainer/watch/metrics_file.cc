// Reads line by line, then cuts once.
#include "trainer/watch/metrics_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>

namespace lockstep {
namespace {

constexpr std::size_t kLongestLine = 64 << 10;

[[noreturn]] void fail(const char* verb, const std::filesystem::path& file) {
  throw std::system_error(errno, std::generic_category(),
                          std::string("cannot ") + verb + " " + file.string());
}

bool tells_of_at_most(std::int64_t step, const std::string& line) {
  const auto parsed = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!parsed.is_object()) return false;
  const auto told = parsed.find("step");
  return told != parsed.end() && told->is_number_integer() && told->get<std::int64_t>() <= step;
}

// A line feed ends every whole line; getline() at the end of the file sees none.
off_t size_to_keep(const std::filesystem::path& file, std::int64_t step) {
  std::ifstream stream(file, std::ios::binary);
  off_t size = 0;
  for (std::string line(kLongestLine, '\0'); stream.getline(line.data(), kLongestLine);) {
    const auto length = static_cast<std::size_t>(stream.gcount());  // the line feed is counted
    if (stream.eof() || !tells_of_at_most(step, line.substr(0, length - 1))) break;
    size += static_cast<off_t>(length);
  }
  return size;
}

}  // namespace

int open_metrics(const std::filesystem::path& file, std::int64_t step) {
  std::filesystem::create_directories(file.parent_path());
  // O_NONBLOCK: a FIFO in the file's place must not be waited for.
  const int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  const int descriptor = ::open(file.c_str(), flags, 0644);
  if (descriptor < 0) fail("open", file);
  struct stat status {};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
    ::close(descriptor);
    errno = EINVAL;
    fail("open", file);
  }
  const off_t kept = size_to_keep(file, step);
  if (kept < status.st_size && ::ftruncate(descriptor, kept) != 0) {
    ::close(descriptor);
    fail("cut", file);
  }
  return descriptor;
}

}  // namespace lockstep
