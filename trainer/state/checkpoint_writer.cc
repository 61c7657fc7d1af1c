// Writing: everything aside and durable first, then one rename makes it visible.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <utility>

#include "trainer/errors.h"
#include "trainer/state/checkpoint_directory.h"
#include "trainer/state/checkpoint_layout.h"
#include "trainer/state/durable_file.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// Writes one file of the checkpoint and notes its sum in the manifest.
void write_file(const fs::path& aside, const std::string& name, Manifest& manifest,
                const std::function<void(DurableFile&)>& fill) {
  DurableFile file(aside / name);
  fill(file);
  file.finish();
  manifest.files[name] = {file.size(), file.crc32()};
}

void write_tensors(const fs::path& aside, const std::string& name, Manifest& manifest,
                   std::span<const TensorRecord> tensors) {
  write_file(aside, name, manifest, [&](DurableFile& file) {
    // "pt" is what Python's loaders expect of tensors from torch.
    write_safetensors(tensors, {{"format", "pt"}}, [&](auto bytes) { file.write(bytes); });
  });
}

void write_text(DurableFile& file, std::string_view text) {
  file.write(std::as_bytes(std::span(text)));
}

void write_contents(const fs::path& aside, std::int64_t step, const CheckpointContents& contents) {
  Manifest manifest{.step = step, .files = {}};
  write_tensors(aside, kModelFile, manifest, contents.model);
  write_tensors(aside, kOptimizerFile, manifest, contents.optimizer);
  write_file(aside, kStateFile, manifest,
             [&](DurableFile& file) { write_text(file, contents.state.dump(2) + "\n"); });
  DurableFile file(aside / kManifestFile);
  write_text(file, manifest_text(manifest));
  file.finish();
  sync_directory(aside);
}

void make_directory(const fs::path& directory) {
  std::error_code error;
  fs::create_directory(directory, error);
  if (error) throw StorageError("cannot make " + directory.string() + ": " + error.message());
}

void make_directories(const fs::path& directory) {
  std::error_code ignored;
  if (fs::is_directory(directory, ignored)) return;
  make_directories(directory.parent_path());
  make_directory(directory);
  sync_directory(directory.parent_path());
}

// Deletes what nobody reads; what cannot be deleted now is deleted by the next writer.
void delete_hidden(const fs::path& path) {
  std::error_code ignored;
  fs::remove_all(path, ignored);
}

std::string superseded(const fs::path& directory, const CheckpointOwner& by,
                       const CheckpointOwner& owner) {
  const std::string whose = by.job == owner.job ? "of this job" : "of job '" + by.job + "'";
  return fmt::format("cannot publish in {}: attempt {} {} owns it now, this is attempt {}",
                     directory.string(), by.attempt, whose, owner.attempt);
}

}  // namespace

std::optional<CheckpointOwner> owner_of(const fs::path& directory) {
  try {
    const json record = json::parse(read_file(directory / kOwnerFile).text());
    return CheckpointOwner{record.at("job").get<std::string>(),
                           record.at("attempt").get<std::int64_t>()};
  } catch (const StorageError&) {
    return std::nullopt;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

CheckpointWriter::CheckpointWriter(const fs::path& directory, CheckpointOwner owner,
                                   Retention retention)
    : directory_(fs::absolute(directory)),
      owner_(std::move(owner)),
      retention_(std::move(retention)) {
  if (retention_.newest < 1) {
    throw std::invalid_argument(
        fmt::format("cannot keep {} checkpoints: use 1 or more", retention_.newest));
  }
  make_directories(directory_);
  const auto before = owner_of(directory_);
  if (before && before->job == owner_.job && before->attempt > owner_.attempt) {
    throw StorageError(superseded(directory_, *before, owner_));
  }
  const json record = {{"job", owner_.job}, {"attempt", owner_.attempt}};
  replace_text(directory_ / kOwnerFile, record.dump() + "\n");
  remove_leftovers();
}

void CheckpointWriter::continue_from(std::int64_t step) {
  last_step_ = step;
  best_ = find_best_checkpoint(directory_);
  if (best_ && (best_->step > step || best_->metric != retention_.best)) best_.reset();
}

void CheckpointWriter::publish(std::int64_t step, const CheckpointContents& contents) {
  if (step == last_step_) return;
  if (step < 0 || step < last_step_) {
    throw std::invalid_argument(fmt::format("step {} cannot follow step {}", step, last_step_));
  }
  const fs::path aside = directory_ / fmt::format(".{}.aside-{}", step_name(step), owner_.attempt);
  prepare(aside, step, contents);
  forget_old_best();
  remove_from(step);
  rename_durably(aside, directory_ / step_name(step));
  replace_text(directory_ / kLatestFile, step_name(step) + "\n");
  last_step_ = step;
  remove_what_need_not_stay();
}

void CheckpointWriter::judge(std::int64_t step, double value) {
  if (retention_.best.empty() || step != last_step_ || !std::isfinite(value)) return;
  const bool less_is_better = retention_.best == "loss";
  if (best_ && (less_is_better ? value >= best_->value : value <= best_->value)) return;
  require_ownership();
  const BestCheckpoint best{step, retention_.best, value};
  replace_text(directory_ / kBestFile, best_text(best));
  best_ = best;
  remove_what_need_not_stay();
}

void CheckpointWriter::require_ownership() const {
  const auto now = owner_of(directory_);
  if (!now)
    throw StorageError("cannot publish in " + directory_.string() + ": OWNER is unreadable");
  if (*now != owner_) throw StorageError(superseded(directory_, *now, owner_));
}

// Everything short of becoming visible.
void CheckpointWriter::prepare(const fs::path& aside, std::int64_t step,
                               const CheckpointContents& contents) const {
  delete_hidden(aside);
  make_directory(aside);
  try {
    write_contents(aside, step, contents);
    require_ownership();
  } catch (...) {
    delete_hidden(aside);  // a full disk gets its room back
    throw;
  }
}

void CheckpointWriter::remove_from(std::int64_t first_step) const {
  for (const std::int64_t step : steps_in(directory_)) {
    if (step >= first_step) remove(step);
  }
}

// Of a line that is not continued, or of another metric: gone before the checkpoint that it names.
void CheckpointWriter::forget_old_best() const {
  std::error_code error;
  if (best_ || !fs::remove(directory_ / kBestFile, error)) {
    if (error) throw StorageError("cannot remove BEST: " + error.message());
    return;
  }
  sync_directory(directory_);
}

void CheckpointWriter::remove_what_need_not_stay() const {
  const std::vector<std::int64_t> steps = steps_in(directory_);
  for (std::size_t i = retention_.newest; i < steps.size(); ++i) {
    const bool is_kept = retention_.every > 0 && steps[i] % retention_.every == 0;
    const bool is_best = best_ && best_->step == steps[i];
    if (!is_kept && !is_best) remove(steps[i]);
  }
}

// Hidden first: a half-deleted checkpoint is never seen.
void CheckpointWriter::remove(std::int64_t step) const {
  const fs::path hidden =
      directory_ / fmt::format(".{}.removed-{}", step_name(step), owner_.attempt);
  delete_hidden(hidden);
  rename_durably(directory_ / step_name(step), hidden);
  delete_hidden(hidden);
}

void CheckpointWriter::remove_leftovers() const {
  std::vector<fs::path> leftovers;
  std::error_code ignored;
  for (fs::directory_iterator entry(directory_, ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    if (entry->path().filename().string().starts_with(".step-")) leftovers.push_back(entry->path());
  }
  std::ranges::for_each(leftovers, delete_hidden);
}

}  // namespace lockstep
