// Saves and restores the training state of all ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trainer/config/config.h"
#include "trainer/group/group.h"
#include "trainer/group/place.h"
#include "trainer/state/checkpoint_directory.h"
#include "trainer/state/torch_tensors.h"

namespace lockstep {

// Training state is a value: with the same settings and data, it determines all that follows.
struct TrainingState {
  NamedTensors model;           // parameters and buffers; they share the model's memory
  NamedTensors optimizer;       // what the learner keeps beside them, likewise
  std::int64_t step = 0;        // optimizer steps done
  std::int64_t epoch = 0;       // that the last of them belongs to, from 1
  std::vector<double> metrics;  // schedule.metric of all evaluations so far
};

// What a step number means, beside the settings. Steps of an epoch depend on the number of ranks
// under samplers whose batches are counted per rank.
struct DataFacts {
  std::string identity;
  std::int64_t steps_per_epoch = 1;
};

class Checkpoints {
 public:
  // Does nothing at all when config.checkpoint.directory is empty. `group` outlives this.
  Checkpoints(const Config& config, const DataFacts& data, const Place& place, Group& group);

  // (all) Restores the newest whole checkpoint into `state`, writing into its tensors; leaves it as
  // it is when there is none or checkpoint.resume is never. Rank 0 reads, the others get its state.
  // Rank 0 warns of each damaged checkpoint that it passed over.
  // Throws std::invalid_argument, naming the settings, when the checkpoint was written under other
  // settings that shape the state, unless checkpoint.resume is force.
  void resume(TrainingState& state);

  // Makes `state` durable; does nothing on a rank that is no writer. Throws StorageError.
  void save(const TrainingState& state);

  // Tells how good the state that was saved last at `step` is, so that checkpoint.best can keep the
  // best one. Throws StorageError.
  void judge(std::int64_t step, double loss, double accuracy);

  bool is_on() const { return !config_.checkpoint.directory.empty(); }
  bool is_writer() const { return writer_.has_value(); }  // rank 0, if there is a directory

 private:
  void restore_newest(TrainingState& state);
  void share(TrainingState& state);
  void require_same_settings(const Checkpoint& checkpoint) const;

  Config config_;
  Settings settings_;  // what must be equal for a resume, the data's identity among it
  Group& group_;
  std::optional<CheckpointWriter> writer_;  // rank 0 only
};

}  // namespace lockstep
