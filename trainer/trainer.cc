// The training loop, top down. A line marked (all) is a collective: every rank must reach it.
#include "trainer/trainer.h"

#include <algorithm>

#include "trainer/data/sample_random.h"
#include "trainer/ddp/same_weights.h"
#include "trainer/log_line.h"
#include "trainer/loss.h"
#include "trainer/metrics_directory.h"
#include "trainer/model/registry.h"
#include "trainer/optim/mixed_batch.h"
#include "trainer/optim/plateau.h"
#include "trainer/optim/schedule.h"
#include "trainer/precision.h"
#include "trainer/speed/span.h"
#include "trainer/state/torch_weights.h"
#include "trainer/torch.h"

namespace lockstep {
namespace {

using Clock = std::chrono::steady_clock;

// Convolutions then give channels last too, whatever they take.
void lay_channels_last(Model& model) {
  for (at::Tensor& parameter : model.parameters()) {
    if (parameter.dim() != 4) continue;
    parameter.set_data(parameter.contiguous(at::MemoryFormat::ChannelsLast));
  }
}

std::shared_ptr<Model> make_model_on(at::Device device, const Config& config, const Dataset& data) {
  auto model = make_model(config.model, data.shape(), config.seed);
  if (!config.model.weights.empty()) {
    load_weights(config.model.weights, *model, config.model.new_head);
  }
  model->to(device);
  if (config.train.channels_last) lay_channels_last(*model);
  return model;
}

bool passes_over_non_finite(const Config& config) {
  return config.optim.skip_non_finite > 0 || config.train.precision == "fp16";
}

void require_pictures_to_mix(const OptimConfig& optim, const DataShape& shape) {
  if ((optim.mixup > 0 || optim.cutmix > 0) && shape.vocabulary > 0) {
    throw std::invalid_argument(
        "optim.mixup and optim.cutmix mix pictures, but data.train holds "
        "text: set both to 0");
  }
}

void require_any_size(const Config& config) {
  const std::string& model = config.model.name;
  if (config.data.sampler.name != "multigrid" || (model != "lenet" && model != "mlp")) return;
  throw std::invalid_argument("data.sampler.name multigrid scales pictures, and model " + model +
                              " takes one size only: choose a resnet");
}

bool is_multiple(std::int64_t value, std::int64_t of) { return of > 0 && value % of == 0; }

}  // namespace

Trainer::Trainer(const Config& config, const Place& place, Group& group, Datasets data,
                 const std::atomic<bool>& stop_requested, StatusWriter& status)
    : config_(config),
      group_(group),
      attempt_(place.attempt),
      stop_requested_(stop_requested),
      status_(status),
      data_(std::move(data)),
      plan_(plan_for(config, data_.train->facts(), group.size())),
      checkpoints_(config, {identity_of(data_), plan_.steps_in(0), data_.train->shape()}, place,
                   group),
      loader_(*data_.train, sampling_for(config, group.size()), group.rank(), group.device(),
              {config.data.threads, config.data.ahead}),
      model_(make_model_on(group.device(), config, *data_.train)),
      learner_(*model_, config, group.device()),
      ddp_(model_, group, config.ddp),  // (all)
      progress_(plan_),
      efficiency_(config, group.device(), group.size()),
      tracer_(config.log, metrics_directory(config), group.rank(), group.device()),
      loss_(group.device(), passes_over_non_finite(config)),
      patience_(std::chrono::seconds(config.train.first_step_timeout),
                std::chrono::seconds(config.train.step_timeout)) {
  require_pictures_to_mix(config.optim, data_.train->shape());
  require_any_size(config);
  status_.plan(plan_.epochs, plan_.total_steps);
  // The first parameter's gradient comes last. A rank that has it, and now waits for the others, is
  // heard once more; the one they wait for is not, and so it is the longest silent.
  learner_.first_parameter().register_hook(
      [this](const at::Tensor&) { status_.step(plan_.epoch_of(step_), step_); });
}

Outcome Trainer::run() {
  checkpoints_.own();
  resume();  // (all)
  open_metrics();
  std::optional<Evaluation> before;
  if (config_.train.overfit_batches > 0) before = evaluated(*data_.val);  // (all)
  bool is_stopped = false;
  while (!is_stopped && !is_over()) {
    is_stopped = !train_to_end_of_epoch();                                            // (all)
    if (!is_stopped && is_due(config_.train.eval_every_epochs)) report_evaluation();  // (all)
    if (is_stopped || is_save_due()) save();
  }
  checkpoints_.finish();
  tell_saved();
  if (is_stopped) return Outcome::kStopped;
  if (!evaluation_) report_evaluation();  // (all) everything was done before this run
  report_end(before);
  return Outcome::kFinished;
}

Evaluation Trainer::evaluate_newest() {
  resume();  // (all)
  if (step_ == 0) {
    const std::string& directory = config_.checkpoint.directory;
    throw std::invalid_argument(
        directory.empty()
            ? "nothing to evaluate: name checkpoint.directory, or set CHECKPOINT_DIR"
            : "there is no checkpoint in checkpoint.directory \"" + directory + "\" to evaluate");
  }
  report_evaluation();  // (all)
  return *evaluation_;
}

bool Trainer::is_over() const {
  const ScheduleConfig& schedule = config_.schedule;
  if (step_ >= plan_.total_steps) return true;
  return schedule.stop_patience > 0 &&
         should_stop_early(
             {schedule.stop_patience, schedule.stop_min_delta, better_of(schedule.metric)},
             metrics_);
}

bool Trainer::train_to_end_of_epoch() {
  const std::int64_t end = plan_.epoch_end(step_);
  model_->train();
  while (step_ < end) {
    if (group_.any_asked(stop_requested_)) {  // (all)
      report_progress();                      // (all)
      return false;
    }
    group_.set_patience(patience_.of_step(Clock::now()));
    tracer_.between_steps(step_);
    train_step(plan_.at(step_));  // (all)
    if (is_multiple(step_, config_.train.verify_every_steps)) {
      require_same_weights(*model_, group_, step_);  // (all)
    }
    const bool is_to_be_saved = is_multiple(step_, config_.checkpoint.every_steps);
    if (is_multiple(step_, config_.log.every_steps) || is_to_be_saved || step_ == end) {
      report_progress();  // (all)
    }
    if (is_to_be_saved && step_ < end) save();
  }
  return true;
}

// One update of the parameters, by the mean gradient over the batches of this step on all ranks.
void Trainer::train_step(const EpochStep& at) {
  const Span span("step", step_ + 1);
  const Plan::Positions positions = plan_.positions(at, loader_.batches_in(at.epoch));
  const std::int64_t samples = samples_of(at.epoch, positions);
  ddp_.zero_grad();
  for (std::int64_t position = positions.first; position < positions.last; ++position) {
    const Batch batch = batch_at(at.epoch, position);
    const std::int64_t counted = counted_in(batch);
    const double batches =
        static_cast<double>(samples) / static_cast<double>(counted * group_.size());
    seed_randomness(position);
    const at::Tensor loss = loss_of(batch, position + 1 == positions.last);  // (all) shape []
    learner_.backward(loss / batches);                                       // (all)
    loss_.add(loss, counted);
  }
  progress_.waited_for_ranks(ddp_.time_waited());
  learner_.update(rate_of(step_), step_);
  progress_.count(++step_, samples, Clock::now());
  status_.step(plan_.epoch_of(step_), step_);
  tell_saved();
}

Batch Trainer::batch_at(std::int64_t epoch, std::int64_t position) {
  status_.enter(Phase::kStep);
  const Span span("data");
  const Clock::time_point began = Clock::now();
  const Batch batch = loader_.at(epoch, position);
  progress_.waited_for_data(Clock::now() - began);
  return batch;
}

// Ranks exchange gradients in the backward pass of a step's last batch only.
at::Tensor Trainer::loss_of(const Batch& batch, bool is_last_of_step) {
  const Span span("forward");
  const OptimConfig& optim = config_.optim;
  const DataShape shape = data_.train->shape();
  const MixedBatch shown = mixed(batch.inputs, batch.targets, shape.classes,
                                 draw_mix(optim, config_.seed, step_, shape.rows, shape.columns));
  const auto forward = [&] {
    const Autocast autocast(group_.device(), config_.train.precision);
    const auto count = efficiency_.count_once(batch.size());
    return model_->forward({shown.images, shown.targets, batch.lengths});
  };
  const at::Tensor scores = is_last_of_step ? ddp_.forward(forward) : ddp_.forward_no_sync(forward);
  const std::int64_t counted = counted_in(batch);
  if (counted == 0) return scores.sum() * 0;  // a gradient of zeros for the ranks that have some
  const auto part = [&](const at::Tensor& all) {
    return counted == batch.size() ? all : all.narrow(0, 0, counted);
  };
  return mean_cross_entropy(part(scores).to(at::kFloat), part(shown.targets),
                            optim.label_smoothing);
}

// Of this rank. What does not count is computed all the same, so that all ranks do the same work.
std::int64_t Trainer::counted_in(const Batch& batch) const { return batch.size() - batch.ignored; }

// What is drawn at random from here on, as by dropout, is a function of seed, rank and place in the
// run: a resumed run draws the same.
void Trainer::seed_randomness(std::int64_t position) const {
  const std::uint64_t stream = config_.seed + static_cast<std::uint64_t>(group_.rank());
  torch::manual_seed(SampleRandom(stream, step_, position).bits());
}

// Of all ranks, those that count.
std::int64_t Trainer::samples_of(std::int64_t epoch, const Plan::Positions& positions) const {
  std::int64_t samples = 0;
  for (std::int64_t position = positions.first; position < positions.last; ++position) {
    samples += loader_.counted_at(epoch, position);
  }
  return samples;
}

double Trainer::rate_of(std::int64_t step) const {
  return learning_rate(config_.schedule, scaled_lr(config_.optim, plan_.batch_size), step,
                       plan_.total_steps, plan_.steps_in(plan_.at(step).epoch), metrics_);
}

Evaluation Trainer::evaluated(const Dataset& data) {
  status_.enter(Phase::kEval);
  group_.set_patience(patience_.of_pause());
  is_evaluating_ = true;
  ddp_.synchronize_buffers();  // (all)
  const auto on_batch = [this] {
    status_.go_on();
    tell_saved();
  };
  const auto average = learner_.averaged();
  const Evaluation result =  // (all)
      evaluate(*model_, data,
               {config_.train.eval_batch_size, config_.data.threads, config_.data.ahead}, group_,
               on_batch);
  is_evaluating_ = false;
  return result;
}

void Trainer::resume() {
  TrainingState newest = state();
  checkpoints_.resume(newest);  // (all)
  step_ = newest.step;
  metrics_ = newest.metrics;
  learner_.continue_after(newest.left_out_in_a_row);
  if (step_ == 0) return;
  say("resumed from step " + std::to_string(step_) + " (epoch " + epoch_text() + ")");
  status_.checkpoint(step_);
}

// Rank 0 writes; the others wait for it in whatever comes next.
void Trainer::save() {
  group_.set_patience(patience_.of_pause());
  if (!checkpoints_.is_writer()) return;
  if (metrics_log_) metrics_log_->sync();
  status_.enter(Phase::kCheckpoint);
  checkpoints_.save(state(), evaluated_step_ == step_ ? evaluation_ : std::nullopt);
  tell_saved();
}

// Of a save that became durable, perhaps steps after it began; throws when it failed.
void Trainer::tell_saved() {
  if (const auto step = checkpoints_.newly_durable()) status_.checkpoint(*step);
}

TrainingState Trainer::state() const {
  return {tensors_of(*model_),   learner_.state(), step_,
          plan_.epoch_of(step_), metrics_,         learner_.left_out_in_a_row()};
}

// At the end of an epoch, after its evaluation: its result is part of what is saved. Only what is
// saved can be the best.
bool Trainer::is_save_due() const {
  const CheckpointConfig& checkpoint = config_.checkpoint;
  const bool is_to_be_judged = evaluated_step_ == step_ && checkpoint.best != "none";
  return is_due(checkpoint.every_epochs) || is_multiple(step_, checkpoint.every_steps) ||
         is_to_be_judged;
}

// Asked at the end of an epoch or of the run, whose last state is always due.
bool Trainer::is_due(int every_epochs) const {
  return is_over() || is_multiple(plan_.at(step_).epoch, every_epochs);
}

}  // namespace lockstep
