// Names and MANIFEST of a checkpoint directory: what its reader and its writer agree on. Private to
// state/.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trainer/state/checkpoint_directory.h"

namespace lockstep {

inline constexpr char kModelFile[] = "model.safetensors";
inline constexpr char kOptimizerFile[] = "optimizer.safetensors";
inline constexpr char kStateFile[] = "state.json";
inline constexpr char kManifestFile[] = "MANIFEST";
inline constexpr char kLatestFile[] = "LATEST";
inline constexpr char kBestFile[] = "BEST";
inline constexpr char kOwnerFile[] = "OWNER";

std::string step_name(std::int64_t step);  // 120 -> "step-120"
std::optional<std::int64_t> step_of(
    std::string_view name);  // the inverse; nullopt for any other name

// Steps that have a directory, newest first; empty when the directory is absent. Throws
// StorageError when it cannot be listed.
std::vector<std::int64_t> steps_in(const std::filesystem::path& directory);

struct FileSum {
  std::uint64_t size = 0;
  std::uint32_t crc32 = 0;
  bool operator==(const FileSum&) const = default;
};

struct Manifest {
  std::int64_t step = 0;
  std::map<std::string, FileSum> files;
  bool operator==(const Manifest&) const = default;
};

std::string manifest_text(const Manifest& manifest);
Manifest parse_manifest(std::string_view text);  // throws BadData, one clause

// The text of BEST, and the inverse: nullopt for any other text.
std::string best_text(const BestCheckpoint& best);
std::optional<BestCheckpoint> parse_best(std::string_view text);

}  // namespace lockstep
