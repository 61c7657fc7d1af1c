// Writes numbered lines as fast as it can: chatter MEGABYTES. Line n is "n L xx...x" with L x's;
// every third line goes to standard error, and each line is written in two pieces.
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace {

void write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(fd, bytes.data(), bytes.size());
    if (count < 0) std::_Exit(1);
    bytes.remove_prefix(count);
  }
}

}  // namespace

int main(int, char** argv) {
  const long total = std::atol(argv[1]) << 20;
  long written = 0;
  for (long n = 0; written < total; ++n) {
    const long length = n % 1000 == 999 ? 300000 : n * 7919 % 3000;
    const std::string line =
        std::to_string(n) + " " + std::to_string(length) + " " + std::string(length, 'x') + "\n";
    const int fd = n % 3 == 0 ? STDERR_FILENO : STDOUT_FILENO;
    write_all(fd, std::string_view(line).substr(0, line.size() / 3));
    write_all(fd, std::string_view(line).substr(line.size() / 3));
    written += static_cast<long>(line.size());
  }
}
