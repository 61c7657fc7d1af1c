// The training loop. Open this first, then trainer.cc; reports.cc is what it tells, rehearsal.cc
// what stands beside it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "trainer/batches/loader.h"
#include "trainer/batches/source.h"
#include "trainer/bench_figures.h"
#include "trainer/checkpoints.h"
#include "trainer/config/config.h"
#include "trainer/ddp/distributed_data_parallel.h"
#include "trainer/eval.h"
#include "trainer/group/group.h"
#include "trainer/learner.h"
#include "trainer/mean_loss.h"
#include "trainer/model/model.h"
#include "trainer/patience.h"
#include "trainer/plan.h"
#include "trainer/progress.h"
#include "trainer/speed/efficiency.h"
#include "trainer/speed/trace.h"
#include "trainer/status/status_writer.h"
#include "trainer/watch/metrics_log.h"

namespace lockstep {

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

  // (all) The figures of the newest checkpoint; nothing is trained or saved. Throws
  // std::invalid_argument when there is none.
  Evaluation evaluate_newest();

  // (all) A few steps, one batch of an evaluation and a save, from where run() would begin, and
  // what to tell of them. The checkpoint directory is one to rehearse in.
  std::string rehearse();

  // (all) Steps as run() takes them, with nothing between them; empty when asked to stop. There is
  // no checkpoint directory.
  std::optional<BenchFigures> bench(const BenchPlan& plan);

  // What this rank is doing with the others, as "step 17": asked when they did not come.
  std::string whereabouts() const;

 private:
  bool train_to_end_of_epoch();
  bool train_steps(std::int64_t count);
  void train_step(const EpochStep& at);
  Batch batch_at(std::int64_t epoch, std::int64_t position);
  at::Tensor loss_of(const Batch& batch, bool is_last_of_step);
  std::int64_t counted_in(const Batch& batch) const;
  std::int64_t samples_of(std::int64_t epoch, const Plan::Positions& positions) const;
  void seed_randomness(std::int64_t position) const;
  double rate_of(std::int64_t step) const;
  void report_progress();
  void report_evaluation();
  void report_end(const std::optional<Evaluation>& before);
  Evaluation evaluated(const Dataset& data);
  void resume();
  void open_metrics();
  void save();
  void tell_saved();
  TrainingState state() const;
  bool is_over() const;
  bool is_due(int every_epochs) const;
  bool is_save_due() const;
  std::string epoch_text() const;
  void say(const std::string& text) const;

  Config config_;
  Group& group_;
  std::int64_t attempt_;  // of the job; 0 outside the operator
  const std::atomic<bool>& stop_requested_;
  StatusWriter& status_;
  Datasets data_;
  Plan plan_;
  Checkpoints checkpoints_;
  Loader loader_;
  std::shared_ptr<Model> model_;
  Learner learner_;
  DistributedDataParallel ddp_;
  Progress progress_;
  Efficiency efficiency_;
  Tracer tracer_;
  MeanLoss loss_;
  Patience patience_;
  bool is_evaluating_ = false;
  std::optional<MetricsLog> metrics_log_;  // rank 0, when there is a place for it
  std::int64_t step_ = 0;                  // optimizer steps done: the cursor of the whole run
  std::optional<Evaluation> evaluation_;   // the newest
  std::int64_t evaluated_step_ = -1;       // the state that evaluation_ is of
  std::vector<double> metrics_;            // schedule.metric of all evaluations
};

}  // namespace lockstep
