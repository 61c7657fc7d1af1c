// Probe, room and owner of the checkpoint directory; see storage.h.
#include "trainer/doctor/storage.h"

#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <chrono>

#include "trainer/contract.h"
#include "trainer/errors.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// `directory`, or the nearest above it that exists.
fs::path existing(const fs::path& directory) {
  fs::path path = fs::absolute(directory);
  std::error_code ignored;
  while (!fs::exists(path, ignored) && path.has_relative_path()) path = path.parent_path();
  return path;
}

// A folder that goes with its owner.
class ProbeFolder {
 public:
  explicit ProbeFolder(const fs::path& parent)
      : path_(parent / fmt::format(".lockstep-doctor-{}", ::getpid())) {}
  ~ProbeFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ProbeFolder(const ProbeFolder&) = delete;
  ProbeFolder& operator=(const ProbeFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

void write_and_read(const fs::path& folder) {
  CheckpointWriter writer(folder, {}, 1);
  writer.publish(1, {.model = {}, .optimizer = {}, .state = {{"step", 1}}});
  writer.publish(2, {.model = {}, .optimizer = {}, .state = {{"step", 2}}});
  const FoundCheckpoints found = find_newest_checkpoint(folder);
  if (!found.newest || found.newest->step != 2) {
    throw StorageError("what was written to " + folder.string() + " does not read back whole");
  }
}

}  // namespace

StorageProbe probe_storage(const fs::path& directory) {
  const std::string check = "checkpoints";
  const fs::path place = existing(directory);
  const ProbeFolder folder(place);
  try {
    const Clock::time_point began = Clock::now();
    write_and_read(folder.path());
    const std::chrono::duration<double, std::milli> each = (Clock::now() - began) / 2;
    const bool is_there = place == fs::absolute(directory);
    const std::string found =
        fmt::format("{}{}: writes, syncs, renames and reads back in {:.1f} ms", directory.string(),
                    is_there ? "" : " (can be made)", each.count());
    return {ok(check, found), fs::last_write_time(folder.path() / "LATEST")};
  } catch (const StorageError& error) {
    return {bad(check, error.what(),
                fmt::format("Mount a volume there that user {} may write to and that is not full, "
                            "or name another checkpoint.directory.",
                            ::geteuid()),
                contract::kExitStorage)};
  }
}

Finding check_space(const SpaceFacts& facts) {
  const std::string check = "free space";
  const std::string found = fmt::format("{} free, a checkpoint takes {}", size_text(facts.free),
                                        size_text(facts.checkpoint));
  if (facts.free < 2 * facts.checkpoint) {
    return bad(check, found,
               fmt::format("Free {} or more, or take a larger volume: a new checkpoint is written "
                           "before an old one goes.",
                           size_text(2 * facts.checkpoint - facts.free)),
               contract::kExitStorage);
  }
  const int to_come = facts.most - facts.present;
  if (to_come > 0 && facts.free / static_cast<std::uint64_t>(to_come) < facts.checkpoint) {
    return warning(check, fmt::format("{}; {} will be there at a time", found, facts.most),
                   "Lower checkpoint.keep or take a larger volume.");
  }
  return ok(check, found);
}

std::optional<std::uint64_t> free_space(const fs::path& directory) {
  struct statvfs status {};
  if (statvfs(existing(directory).c_str(), &status) != 0 || status.f_blocks == 0) {
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(status.f_bavail) * status.f_frsize;
}

int checkpoints_in(const fs::path& directory) {
  int count = 0;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().filename().string().starts_with("step-")) ++count;
  }
  return count;
}

Finding check_owner(const std::optional<CheckpointOwner>& owner, const Place& place) {
  const std::string check = "owner";
  if (!owner) return ok(check, "nobody has written checkpoints here");
  const std::string found = owner->job.empty() ? "written by a training outside the operator"
                                               : fmt::format("written by attempt {} of job {}",
                                                             owner->attempt, owner->job);
  if (owner->job == place.job_uid && owner->attempt > place.attempt) {
    return bad(check, fmt::format("{}, this is attempt {}", found, place.attempt),
               "Let the newer attempt train; to start another training name another "
               "checkpoint.directory.",
               contract::kExitStorage);
  }
  if (owner->job == place.job_uid) return ok(check, found);
  return warning(check, found + ", not by this one",
                 "Go on if this training is to continue from there; if that one still runs, name "
                 "another checkpoint.directory (in a TrainingJob another checkpoints.subPath).");
}

}  // namespace lockstep
