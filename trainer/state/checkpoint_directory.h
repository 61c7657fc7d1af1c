// The checkpoints of one training run, on storage that may fail or be cut off at any write.
//
//   OWNER                    who may publish: {"job": uid, "attempt": 3}
//   LATEST                   the last published directory, for people and tools
//   BEST                     the best one by a metric: "step-120", and below it "accuracy 0.9143"
//   step-N/                  one whole checkpoint, after N optimizer steps
//     model.safetensors      weights and buffers; no time, host or attempt
//     optimizer.safetensors
//     state.json             the caller's: cursor, seed, hashes
//     MANIFEST               the step, and size and CRC-32 of each file above: damage shows
//   .step-N.aside-3          being written by attempt 3, or left by a writer that died
//   .step-N.removed-3        being deleted
//
// A name without a leading dot appears by rename, after its contents are synced.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "trainer/state/safetensors.h"

namespace lockstep {

// What a writer puts into a checkpoint; borrowed for the call.
struct CheckpointContents {
  std::span<const TensorRecord> model;
  std::span<const TensorRecord> optimizer;
  nlohmann::json state;
};

struct Checkpoint {
  std::int64_t step = 0;
  Safetensors model;
  Safetensors optimizer;
  nlohmann::json state;
};

struct DamagedCheckpoint {
  std::filesystem::path directory;
  std::string reason;  // "model.safetensors has CRC-32 1f2e3d4c, MANIFEST says 00112233"
};

struct FoundCheckpoints {
  std::optional<Checkpoint> newest;        // the newest whole one
  std::vector<DamagedCheckpoint> damaged;  // newer than that, newest first: worth a warning each
};

// Reads and verifies from the newest step down to the first whole checkpoint. Writes nothing: any
// rank, any number of processes. A directory that does not exist holds no checkpoint. Throws
// StorageError when it cannot be listed.
FoundCheckpoints find_newest_checkpoint(const std::filesystem::path& directory);

// One checkpoint, whatever else is there. Throws BadData when it is damaged or there is none,
// StorageError when it cannot be read.
Checkpoint read_checkpoint(const std::filesystem::path& directory, std::int64_t step);

// The checkpoint that BEST names.
struct BestCheckpoint {
  std::int64_t step = 0;
  std::string metric;  // "accuracy" or "loss", of the validation data
  double value = 0;
  bool operator==(const BestCheckpoint&) const = default;
};

// nullopt when there is no BEST, it is unreadable, or what it names is gone. Throws StorageError.
std::optional<BestCheckpoint> find_best_checkpoint(const std::filesystem::path& directory);

// Which checkpoints stay. Whatever is said here, the newest one does.
struct Retention {
  int newest = 3;          // so many of the newest, at least 1
  std::int64_t every = 0;  // and each whose step is a multiple of this; 0: none
  std::string best{};      // and the best by this metric; empty: none
};

// Who publishes. Attempts are ordered within a job; between jobs the last to claim wins.
struct CheckpointOwner {
  std::string job;           // uid; empty outside the operator
  std::int64_t attempt = 0;  // from 1; 0 outside the operator
  bool operator==(const CheckpointOwner&) const = default;
};

// Who claimed the directory last; nullopt when nobody did or the record is unreadable.
std::optional<CheckpointOwner> owner_of(const std::filesystem::path& directory);

// Publishes checkpoints; one per run, on rank 0, used by one thread at a time.
//
// Fencing: the writer records itself in OWNER at construction and looks again right before each
// publication. A writer that was superseded (a rank of an older attempt that was cut off and came
// back) stops there. Between the look and the rename remains a window of microseconds: the operator
// deletes the old pods first, this is the second line.
class CheckpointWriter {
 public:
  // Makes the directory, claims it and deletes what dead writers left. Throws invalid_argument when
  // fewer than one is to stay; StorageError when a later attempt of the same job owns the directory
  // or the storage refuses.
  CheckpointWriter(const std::filesystem::path& directory, CheckpointOwner owner,
                   Retention retention);
  CheckpointWriter(const std::filesystem::path& directory, CheckpointOwner owner, int newest)
      : CheckpointWriter(directory, std::move(owner), Retention{.newest = newest}) {}

  // Says that the run resumed from this step: its checkpoint is whole and need not be published.
  // The best so far is that of BEST, if it is of the same metric and no later step.
  void continue_from(std::int64_t step);

  // Makes step-N visible, whole and durable, then deletes those that need not stay. Does nothing
  // when this run published N or continues from it. Throws invalid_argument when N goes backwards,
  // StorageError when the disk is full, fails, or has a new owner; nothing half-written is visible
  // then. Checkpoints at N and later are of a line that this run does not continue (damaged, or
  // training was started over): they go before N appears, so that no reader takes them for newer.
  void publish(std::int64_t step, const CheckpointContents& contents);

  // Says how good the state after `step` is by the metric retention.best: a higher accuracy or a
  // lower loss is better, no number is worst. When it is the best so far and `step` is the last
  // that was published, BEST names it from now on. BEST never names what is not there. Throws
  // StorageError as publish() does.
  void judge(std::int64_t step, double value);

 private:
  void prepare(const std::filesystem::path& aside, std::int64_t step,
               const CheckpointContents& contents) const;
  void require_ownership() const;
  void remove_from(std::int64_t first_step) const;
  void forget_old_best() const;
  void remove_what_need_not_stay() const;
  void remove(std::int64_t step) const;
  void remove_leftovers() const;

  std::filesystem::path directory_;
  CheckpointOwner owner_;
  Retention retention_;
  std::int64_t last_step_ = -1;         // newest on this run's line, -1 before the first
  std::optional<BestCheckpoint> best_;  // on this run's line
};

}  // namespace lockstep
