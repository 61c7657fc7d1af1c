// Text and a directory.
#include "trainer/dry_run.h"

#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <system_error>

#include "trainer/errors.h"
#include "trainer/progress.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

template <typename... Values>
std::string format(const char* pattern, Values... values) {
  char text[200];
  std::snprintf(text, sizeof text, pattern, values...);
  return text;
}

std::string milliseconds(double seconds) { return format("%.1f ms", seconds * 1e3); }

std::string duration_of(double seconds) {
  return seconds < 60 ? format("%.1f s", seconds)
                      : short_duration(std::chrono::seconds(std::llround(seconds)));
}

fs::path topmost_absent(fs::path path) {
  std::error_code ignored;
  while (path.has_parent_path() && !fs::exists(path.parent_path(), ignored))
    path = path.parent_path();
  return path;
}

std::string steps_line(const Rehearsal& seen) {
  if (!seen.first_step) return "steps: none is left to train\n";
  std::string text = "first step " + milliseconds(*seen.first_step);
  if (seen.step) text += ", a later one " + milliseconds(*seen.step);
  return text + "\n";
}

std::string expected_line(const Rehearsal& seen, const Plan& plan) {
  const double step = seen.step.value_or(seen.first_step.value_or(0));
  const auto left = static_cast<double>(plan.total_steps - seen.resumed_from);
  const double evaluation =
      seen.evaluation_batch * static_cast<double>(seen.evaluation_batches) / seen.ranks;
  return "expected: about " + duration_of(left * step) + " for " + format("%.0f", left) +
         " steps, and about " + duration_of(evaluation) + " for each evaluation";
}

std::string checkpoint_line(const Rehearsal& seen) {
  if (!seen.save) return "checkpoint: none, since checkpoint.directory is not set\n";
  return "checkpoint: " + short_size(*seen.checkpoint_size) + ", saved in " +
         milliseconds(*seen.save) + " and removed\n";
}

}  // namespace

std::string summary(const Rehearsal& seen, const Plan& plan) {
  std::string text = "dry run: all is well, nothing was kept\n";
  text += "parameters " + short_number(static_cast<double>(seen.parameters)) + ", memory " +
          (seen.memory ? short_size(*seen.memory) : "not known") + "\n";
  text += format("steps: %lld in %lld epochs, %lld in the first; batch %lld, of a rank %lld",
                 static_cast<long long>(plan.total_steps), static_cast<long long>(plan.epochs),
                 static_cast<long long>(plan.steps_in(0)), static_cast<long long>(plan.batch_size),
                 static_cast<long long>(plan.batch_size_per_rank));
  text += plan.accumulate > 1 ? format(" x %lld\n", static_cast<long long>(plan.accumulate)) : "\n";
  if (seen.resumed_from > 0) {
    text += format("a run goes on from step %lld\n", static_cast<long long>(seen.resumed_from));
  }
  text += steps_line(seen);
  text += "evaluation batch " + milliseconds(seen.evaluation_batch) + "\n";
  return text + checkpoint_line(seen) + expected_line(seen, plan);
}

RehearsalDirectory::RehearsalDirectory(const fs::path& directory)
    : path_(fs::absolute(directory) / (".dry-run-" + std::to_string(getpid()))),
      made_(topmost_absent(path_)) {
  try {
    fs::create_directories(path_);
    link_checkpoints(fs::absolute(directory));
  } catch (const fs::filesystem_error& error) {
    throw StorageError("cannot rehearse in " + directory.string() + ": " + error.code().message());
  }
}

RehearsalDirectory::~RehearsalDirectory() {
  std::error_code error;
  fs::remove_all(path_, error);  // of a link, the link alone
  // Directories above it only if they are empty: another run may have begun in them.
  for (fs::path above = path_; above != made_ && !error;)
    fs::remove(above = above.parent_path(), error);
}

void RehearsalDirectory::link_checkpoints(const fs::path& directory) const {
  for (const fs::directory_entry& entry : fs::directory_iterator(directory)) {
    const fs::path name = entry.path().filename();
    if (name.string().starts_with("step-"))
      fs::create_directory_symlink(entry.path(), path_ / name);
  }
}

}  // namespace lockstep
