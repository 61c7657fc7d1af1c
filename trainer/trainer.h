// The training loop. Open this first, then trainer.cc.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "trainer/checkpoints.h"
#include "trainer/config/config.h"
#include "trainer/data/distributed_sampler.h"
#include "trainer/data/torch_images.h"
#include "trainer/ddp/distributed_data_parallel.h"
#include "trainer/eval.h"
#include "trainer/group/group.h"
#include "trainer/mean_loss.h"
#include "trainer/model/model.h"
#include "trainer/optim/sgd.h"
#include "trainer/plan.h"
#include "trainer/progress.h"
#include "trainer/status/status_writer.h"

namespace lockstep {

struct Datasets {
  IdxDataset train;
  IdxDataset val;
};

// Equal for equal data.
std::string identity_of(const Datasets& data);

enum class Outcome { kFinished, kStopped };

// Trains one model on all ranks of a group, from the newest checkpoint to the end of the plan.
// Every rank runs the same code.
class Trainer {
 public:
  // (all) Builds model and optimizer. `group`, `stop_requested` and `status` outlive this.
  // Throws std::invalid_argument for settings that do not fit the data or the number of ranks.
  Trainer(const Config& config, const Place& place, Group& group, Datasets data,
          const std::atomic<bool>& stop_requested, StatusWriter& status);

  // (all) kStopped: some rank was asked to stop; all have stopped at the same step, and its state
  // is saved. Throws Diverged, StorageError and what collectives throw.
  Outcome run();

 private:
  bool train_to_end_of_epoch();
  DistributedSampler sampler_of(std::int64_t epoch) const;  // from 0
  Batch next_batch(const DistributedSampler& sampler);
  void train_step(const Batch& batch);
  double rate_of(std::int64_t step) const;
  void report_progress();
  void report_evaluation();
  void save();
  bool is_due(int every_epochs) const;
  std::string epoch_text() const;
  void say(const std::string& text) const;

  Config config_;
  Group& group_;
  const std::atomic<bool>& stop_requested_;
  StatusWriter& status_;
  Checkpoints checkpoints_;
  ImageSet train_data_;
  ImageSet val_data_;
  Plan plan_;
  std::shared_ptr<Model> model_;
  Sgd optimizer_;
  DistributedDataParallel ddp_;
  Progress progress_;
  MeanLoss loss_;
  std::int64_t step_ = 0;                 // optimizer steps done: the cursor of the whole run
  std::optional<Evaluation> evaluation_;  // the newest
};

}  // namespace lockstep
