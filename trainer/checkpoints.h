// Saves and restores the training state of all ranks: weights, optimizer, how far training is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "trainer/config/config.h"
#include "trainer/group/group.h"
#include "trainer/group/place.h"
#include "trainer/model/model.h"
#include "trainer/optim/sgd.h"
#include "trainer/state/checkpoint_directory.h"

namespace lockstep {

// How far training is.
struct Cursor {
  std::int64_t step = 0;   // optimizer steps done
  std::int64_t epoch = 0;  // that the last of them belongs to, from 1
};

class Checkpoints {
 public:
  // Does nothing at all when config.checkpoint.directory is empty. `data_identity` tells data sets
  // apart. `group` outlives this.
  Checkpoints(const Config& config, std::string data_identity, const Place& place, Group& group);

  // (all) Restores the newest whole checkpoint and returns its step; 0 when there is none or
  // checkpoint.resume is never. Rank 0 reads, the others get its tensors. Rank 0 warns of each
  // damaged checkpoint that it passed over.
  // Throws std::invalid_argument, naming the settings, when the checkpoint was written under other
  // settings that shape the state, unless checkpoint.resume is force.
  std::int64_t resume(Model& model, const Sgd& optimizer);

  // Makes the state at `cursor` durable; does nothing on a rank that is no writer. Throws
  // StorageError.
  void save(const Cursor& cursor, const Model& model, const Sgd& optimizer);

  bool is_on() const { return !config_.checkpoint.directory.empty(); }
  bool is_writer() const { return writer_.has_value(); }  // rank 0, if there is a directory

 private:
  std::int64_t restore_newest(Model& model, const Sgd& optimizer);
  void require_same_settings(const Checkpoint& checkpoint) const;

  Config config_;
  Settings settings_;  // what must be equal for a resume, the data's identity among it
  Group& group_;
  std::optional<CheckpointWriter> writer_;  // rank 0 only
};

}  // namespace lockstep
