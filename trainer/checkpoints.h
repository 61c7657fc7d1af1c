// Saves and restores the training state of all ranks.
#pragma once

#include <cstdint>
#include <future>
#include <optional>
#include <string>
#include <vector>

#include "trainer/batches/batch.h"
#include "trainer/config/config.h"
#include "trainer/eval.h"
#include "trainer/group/group.h"
#include "trainer/group/place.h"
#include "trainer/state/checkpoint_directory.h"
#include "trainer/state/torch_snapshot.h"
#include "trainer/state/torch_tensors.h"

namespace lockstep {

// Training state is a value: with the same settings and data, it determines all that follows.
struct TrainingState {
  NamedTensors model;           // parameters and buffers; they share the model's memory
  NamedTensors optimizer;       // what the learner keeps beside them, likewise
  std::int64_t step = 0;        // optimizer steps done
  std::int64_t epoch = 0;       // that the last of them belongs to, from 1
  std::vector<double> metrics;  // schedule.metric of all evaluations so far
  int left_out_in_a_row = 0;    // the last so many steps had no number; see NonFiniteGuard
};

// What a step number means, beside the settings. Steps of an epoch depend on the number of ranks
// under samplers whose batches are counted per rank.
struct DataFacts {
  std::string identity;
  std::int64_t steps_per_epoch = 1;
  DataShape shape{};  // only noted, for an export of the model
};

// Threads: the one that trains calls. With checkpoint.asynchronous a second one writes a copy of
// the state while training goes on; there is at most one save under way, and only its thread
// touches the directory meanwhile. What that thread throws comes out of the next call that says so.
class Checkpoints {
 public:
  // Does nothing at all when config.checkpoint.directory is empty. `group` outlives this.
  Checkpoints(const Config& config, const DataFacts& data, const Place& place, Group& group);

  // Waits for the save under way, which is so not lost to an error elsewhere. Its own error is then
  // a warning, since another one ends the run.
  ~Checkpoints();
  Checkpoints(const Checkpoints&) = delete;
  Checkpoints& operator=(const Checkpoints&) = delete;

  // Makes this run the owner of the directory, where it will save: before resume(). A run that only
  // reads leaves it out and may share the directory with one that trains. Throws StorageError.
  void own();

  // (all) Restores the newest whole checkpoint into `state`, writing into its tensors; leaves it as
  // it is when there is none or checkpoint.resume is never. Rank 0 reads, the others get its state.
  // Rank 0 warns of each damaged checkpoint that it passed over.
  // Throws std::invalid_argument, naming the settings, when the checkpoint was written under other
  // settings that shape the state, unless checkpoint.resume is force.
  void resume(TrainingState& state);

  // Waits for the save before, then saves `state`: it is durable when this returns or, with
  // checkpoint.asynchronous, when newly_durable() tells. Its tensors may change at once. With the
  // `evaluation` of this very state it competes for checkpoint.best. Does nothing on a rank that is
  // no writer. Throws StorageError, of this save or the one before.
  void save(const TrainingState& state, const std::optional<Evaluation>& evaluation = {});

  // The newest step that became durable since the last call, if any did. Never waits. Throws the
  // StorageError of a save that failed.
  std::optional<std::int64_t> newly_durable();

  // Waits until no save is under way. Throws its StorageError.
  void finish();

  bool is_on() const { return !config_.checkpoint.directory.empty(); }
  bool is_writer() const { return writer_.has_value(); }  // rank 0 after own()

 private:
  // What is saved, on the host.
  struct Moment {
    std::int64_t step = 0;
    NamedTensors model, optimizer;
    nlohmann::json state;
    std::optional<double> quality;  // by checkpoint.best
  };
  Moment moment_of(const TrainingState& state, const std::optional<Evaluation>& evaluation);
  nlohmann::json numbers_of(const TrainingState& state) const;
  std::int64_t publish(const Moment& moment);
  void restore_newest(TrainingState& state);
  void share(TrainingState& state);

  Config config_;
  CheckpointOwner owner_;
  DataShape shape_;
  Settings settings_;  // what must be equal for a resume, the data's identity among it
  Group& group_;
  std::optional<CheckpointWriter> writer_;  // rank 0 only; while saving_ is valid its thread's
  Snapshot model_, optimizer_;              // what that thread reads
  std::future<std::int64_t> saving_;        // gives the step once it is durable
  std::optional<std::int64_t> newly_durable_;
};

}  // namespace lockstep
