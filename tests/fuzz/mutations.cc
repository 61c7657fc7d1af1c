// Runs a fuzz target on a fixed series of mutated seeds, so that every build tests its readers
// without a fuzzing engine. Each input is a function of the seeds and its number.
//
//   fuzz_csv COUNT SEED...      inputs 0 to COUNT; a seed is a file or a folder of files
//   fuzz_csv =NUMBER SEED...    that one input again, also written to the file fuzz-input
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "tests/fuzz/target.h"

namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t kLongest = 1 << 20;

volatile sig_atomic_t current = 0;

// Only write(2) is safe here.
void tell(int signal) {
  std::array<char, 64> text{};
  char* end = std::copy_n("fuzz: failed at input =", 23, text.data());
  end = std::to_chars(end, text.data() + text.size() - 1, static_cast<int>(current)).ptr;
  *end++ = '\n';
  if (::write(STDERR_FILENO, text.data(), static_cast<std::size_t>(end - text.data())) < 0)
    _exit(1);
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

Bytes content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<Bytes> seeds_of(int count, char** names) {
  std::vector<fs::path> files;
  for (int i = 0; i < count; ++i) {
    if (!fs::is_directory(names[i]))
      files.emplace_back(names[i]);
    else
      for (const auto& entry : fs::directory_iterator(names[i])) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<Bytes> seeds(1);  // the empty input too
  for (const fs::path& file : files) seeds.push_back(content_of(file));
  return seeds;
}

class Mutation {
 public:
  Mutation(const std::vector<Bytes>& seeds, std::uint64_t number)
      : seeds_(seeds), random_(number) {}

  Bytes input() {
    Bytes bytes = seeds_[below(seeds_.size())];
    for (std::size_t changes = 1 + below(6); changes > 0; --changes) change(bytes);
    bytes.resize(std::min(bytes.size(), kLongest));
    return bytes;
  }

 private:
  std::size_t below(std::size_t bound) { return bound == 0 ? 0 : random_() % bound; }
  std::uint8_t byte() {
    constexpr std::array<std::uint8_t, 8> kTelling = {0, 1, 0x7f, 0x80, 0xff, '\n', '"', 0x20};
    return below(2) == 0 ? kTelling[below(kTelling.size())] : static_cast<std::uint8_t>(random_());
  }
  Bytes::iterator at(Bytes& bytes, std::size_t place) {
    return bytes.begin() + static_cast<std::ptrdiff_t>(place);
  }

  void change(Bytes& bytes) {
    const std::size_t place = below(bytes.size() + 1);
    const std::size_t count = std::min(bytes.size() - place, std::size_t{1} << below(10));
    switch (below(7)) {
      case 0:
        if (count > 0) bytes[place] ^= static_cast<std::uint8_t>(1 << below(8));
        break;
      case 1:
        if (count > 0) bytes[place] = byte();
        break;
      case 2:
        std::fill_n(at(bytes, place), std::min<std::size_t>(count, 1 + below(8)), byte());
        break;
      case 3:
        bytes.erase(at(bytes, place), at(bytes, place + count));
        break;
      case 4:
        bytes.insert(at(bytes, place), 1 + below(8), byte());
        break;
      case 5:
        bytes.resize(place);
        break;
      default:
        splice(bytes, place);
    }
  }

  // Brings in a piece of any seed.
  void splice(Bytes& bytes, std::size_t place) {
    const Bytes& other = seeds_[below(seeds_.size())];
    const std::size_t from = below(other.size() + 1);
    const std::size_t count = std::min(other.size() - from, std::size_t{1} << below(10));
    const auto piece = other.begin() + static_cast<std::ptrdiff_t>(from);
    bytes.insert(at(bytes, place), piece, piece + static_cast<std::ptrdiff_t>(count));
  }

  const std::vector<Bytes>& seeds_;
  std::mt19937_64 random_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 64;
  const std::string order = argv[1];
  const std::vector<Bytes> seeds = seeds_of(argc - 2, argv + 2);
  if (order[0] == '=') {
    const Bytes input = Mutation(seeds, std::stoull(order.substr(1))).input();
    std::ofstream("fuzz-input", std::ios::binary)
        .write(reinterpret_cast<const char*>(input.data()),
               static_cast<std::streamsize>(input.size()));
    return LLVMFuzzerTestOneInput(input.data(), input.size());
  }
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP})
    ::signal(signal, tell);
  for (const Bytes& seed : seeds) LLVMFuzzerTestOneInput(seed.data(), seed.size());
  const int count = std::stoi(order);
  for (int number = 0; number < count; ++number) {
    current = number;
    const Bytes input = Mutation(seeds, static_cast<std::uint64_t>(number)).input();
    LLVMFuzzerTestOneInput(input.data(), input.size());
  }
  std::printf("%d inputs from %zu seeds\n", count, seeds.size());
}
