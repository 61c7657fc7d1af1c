// Word by word, so that a message can say which one is wrong.
#include "trainer/data/number_file.h"

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <string>

#include "trainer/errors.h"

namespace lockstep {
namespace {

constexpr std::size_t kLongestWord = 64;

// The next word, at most kLongestWord + 1 characters of it; "" at the end.
std::string next_word(std::istream& stream) {
  std::string word;
  stream.width(kLongestWord + 1);
  stream >> word;
  return word;
}

template <typename Number>
std::vector<Number> read(const std::filesystem::path& file, Number most, const char* kind) {
  std::ifstream stream(file);
  if (!stream) throw BadData(file.string() + ": cannot open it: " + std::strerror(errno));
  std::vector<Number> numbers;
  for (std::string word; !(word = next_word(stream)).empty();) {
    Number number{};
    const char* end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data(), end, number);
    const bool is_number = error == std::errc() && stop == end && word.size() <= kLongestWord;
    if (!is_number || !(number >= 0 && number <= most)) {
      throw BadData(file.string() + ": number " + std::to_string(numbers.size() + 1) + " is \"" +
                    word.substr(0, kLongestWord) + "\": must be " + kind);
    }
    if (std::ssize(numbers) == kMostNumbers) {
      throw BadData(file.string() + ": holds more than " + std::to_string(kMostNumbers) +
                    " numbers");
    }
    numbers.push_back(number);
  }
  if (stream.bad()) throw BadData(file.string() + ": cannot read it: " + std::strerror(errno));
  if (numbers.empty()) throw BadData(file.string() + ": holds no number");
  return numbers;
}

}  // namespace

std::vector<std::int32_t> read_whole_numbers(const std::filesystem::path& file) {
  return read(file, std::numeric_limits<std::int32_t>::max(),
              "a whole number from 0 to 2147483647");
}

std::vector<double> read_numbers(const std::filesystem::path& file) {
  return read(file, std::numeric_limits<double>::max(), "a number from 0");
}

}  // namespace lockstep
