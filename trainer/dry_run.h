// `lockstep-train run --dry-run`: what a rehearsal has seen, and where it writes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "trainer/plan.h"

namespace lockstep {

// Times are in seconds.
struct Rehearsal {
  std::int64_t parameters = 0;
  std::int64_t resumed_from = 0;  // step of the checkpoint that a run would go on from
  int ranks = 1;
  std::optional<double> memory{};              // bytes at most, as in Figures
  std::optional<double> first_step{}, step{};  // of a later one; empty where there is none
  double evaluation_batch = 0;
  std::int64_t evaluation_batches = 1;      // of an evaluation, on all ranks
  std::optional<double> save{};             // empty without a checkpoint directory
  std::optional<double> checkpoint_size{};  // bytes, likewise
};

// A few lines for people. The expected duration is that of the remaining steps alone.
std::string summary(const Rehearsal& rehearsal, const Plan& plan);

// A directory to rehearse in: inside `directory`, so on the same storage, with a link to each of
// its checkpoints, so that a rehearsal goes on from where a run would. Whatever this makes, or what
// is made in it, is gone when this ends; `directory` is as it was, absent if it was.
class RehearsalDirectory {
 public:
  // Throws StorageError when the storage refuses.
  explicit RehearsalDirectory(const std::filesystem::path& directory);
  ~RehearsalDirectory();
  RehearsalDirectory(const RehearsalDirectory&) = delete;
  RehearsalDirectory& operator=(const RehearsalDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  void link_checkpoints(const std::filesystem::path& directory) const;

  std::filesystem::path path_;
  std::filesystem::path made_;  // the topmost directory that was not there
};

}  // namespace lockstep
