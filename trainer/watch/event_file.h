// Names of TensorBoard's event files: one for each start of a run.
#pragma once

#include <cstdint>
#include <filesystem>

namespace lockstep {

// Makes a new file `events.out.tfevents.<seconds>.lockstep` in `directory`, and the directory as
// needed. TensorBoard reads the files of a folder in the order of their names, so <seconds> is
// `now` (seconds since 1970, ten digits) or, where clocks disagree, one more than the newest
// file's. Throws std::system_error and std::filesystem::filesystem_error.
int open_events(const std::filesystem::path& directory, std::int64_t now);

}  // namespace lockstep
