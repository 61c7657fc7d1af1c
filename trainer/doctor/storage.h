// Whether checkpoints can be written, and what lies there already. The checks are pure but for
// probe_storage().
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "trainer/doctor/finding.h"
#include "trainer/group/place.h"
#include "trainer/state/checkpoint_directory.h"

namespace lockstep {

// Writes a tiny checkpoint as a training does (aside, synced, renamed, read back) into a folder of
// its own and removes it, in `directory` or, where that does not exist yet, in the nearest folder
// above, so that nothing stays behind.
struct StorageProbe {
  Finding finding;
  std::optional<std::filesystem::file_time_type> time{};  // that the storage gave a file
};
StorageProbe probe_storage(const std::filesystem::path& directory);

// Bytes.
struct SpaceFacts {
  std::uint64_t free = 0;        // to this user
  std::uint64_t checkpoint = 0;  // one of this model
  int most = 4;                  // checkpoints at one time, as the settings say
  int present = 0;               // of them there now
};
Finding check_space(const SpaceFacts& facts);

// Free bytes for this user where `directory` is or will be; nullopt when the storage does not say.
std::optional<std::uint64_t> free_space(const std::filesystem::path& directory);

// Whole or not; 0 where the directory cannot be listed.
int checkpoints_in(const std::filesystem::path& directory);

// Of a directory that `owner` claimed last.
Finding check_owner(const std::optional<CheckpointOwner>& owner, const Place& place);

}  // namespace lockstep
