// Text files of numbers: lengths, classes or weights of samples.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace lockstep {

inline constexpr std::int64_t kMostNumbers = 10'000'000;

// The numbers of `file`, one for each sample, with white space between them. Throw BadData, with
// the place, for what is no such number and for more than kMostNumbers of them.
std::vector<std::int32_t> read_whole_numbers(const std::filesystem::path& file);  // from 0
std::vector<double> read_numbers(const std::filesystem::path& file);

}  // namespace lockstep
