// metrics.jsonl between runs: what is kept of an earlier one.
#pragma once

#include <cstdint>
#include <filesystem>

namespace lockstep {

// Opens the file to append to it, making it and its folder as needed. What is in it is kept up to
// the first line that tells of a step after `step`, or that is no whole JSON object with a step:
// the rest is of steps that are done again, or torn by a crash. So each step is told once.
// Only regular files: never through a symbolic link. Throws std::system_error and
// std::filesystem::filesystem_error.
int open_metrics(const std::filesystem::path& file, std::int64_t step);

}  // namespace lockstep
