// The training loop, top down. A line marked (all) is a collective: every rank must reach it.
#include "trainer/trainer.h"

#include <cstdio>

#include "trainer/data/sample_random.h"
#include "trainer/log_line.h"
#include "trainer/loss.h"
#include "trainer/optim/mixed_batch.h"
#include "trainer/optim/plateau.h"
#include "trainer/optim/schedule.h"
#include "trainer/precision.h"
#include "trainer/state/torch_weights.h"
#include "trainer/torch.h"

namespace lockstep {
namespace {

using Clock = std::chrono::steady_clock;

std::shared_ptr<Model> make_model_on(at::Device device, const Config& config, const Dataset& data) {
  auto model = make_model(config.model, data.shape(), config.seed);
  if (!config.model.weights.empty()) {
    load_weights(config.model.weights, *model, config.model.new_head);
  };
  model->to(device);
  return model;
}

std::string four_digits(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.4f", value);
  return text;
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

std::string metrics_directory(const Config& config) {
  if (!config.log.directory.empty()) return config.log.directory;
  const std::string& checkpoints = config.checkpoint.directory;
  return checkpoints.empty() ? "" : checkpoints + "/logs/metrics";
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
      checkpoints_(config, {identity_of(data_), plan_.steps_in(0)}, place, group),
      loader_(*data_.train, sampling_for(config, group.size()), group.rank(), group.device(),
              {config.data.threads, config.data.ahead}),
      model_(make_model_on(group.device(), config, *data_.train)),
      learner_(*model_, config, group.device()),
      ddp_(model_, group, config.ddp),  // (all)
      progress_(plan_),
      loss_(group.device(), passes_over_non_finite(config)) {
  require_pictures_to_mix(config.optim, data_.train->shape());
  status_.plan(plan_.epochs, plan_.total_steps);
  // The first parameter's gradient comes last. A rank that has it, and now waits for the others, is
  // heard once more; the one they wait for is not, and so it is the longest silent.
  model_->parameters().front().register_hook(
      [this](const at::Tensor&) { status_.step(plan_.epoch_of(step_), step_); });
}

Outcome Trainer::run() {
  resume();  // (all)
  while (!is_over()) {
    const bool is_stopped = !train_to_end_of_epoch();                                 // (all)
    if (!is_stopped && is_due(config_.train.eval_every_epochs)) report_evaluation();  // (all)
    if (is_stopped || is_save_due()) save();
    if (is_stopped) return Outcome::kStopped;
  }
  if (!evaluation_) report_evaluation();  // (all) everything was done before this run
  say("accuracy " + four_digits(evaluation_->accuracy));
  return Outcome::kFinished;
}

Evaluation Trainer::evaluate_newest() {
  resume();  // (all)
  if (step_ == 0) {
    throw std::invalid_argument("there is no checkpoint in checkpoint.directory \"" +
                                config_.checkpoint.directory + "\" to evaluate");
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
    train_step(plan_.at(step_));  // (all)
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
  const Plan::Positions positions = plan_.positions(at, loader_.batches_in(at.epoch));
  const std::int64_t samples = samples_of(at.epoch, positions);  // of this rank
  ddp_.zero_grad();
  for (std::int64_t position = positions.first; position < positions.last; ++position) {
    const Batch batch = batch_at(at.epoch, position);
    const double batches = static_cast<double>(samples) / static_cast<double>(batch.size());
    seed_randomness(position);
    const at::Tensor loss = loss_of(batch, position + 1 == positions.last);  // (all) shape []
    learner_.scaled(loss / batches).backward();                              // (all)
    loss_.add(loss, batch.size());
  }
  progress_.waited_for_ranks(ddp_.time_waited());
  learner_.update(rate_of(step_), step_);
  progress_.count(++step_, samples * group_.size(), Clock::now());
  status_.step(plan_.epoch_of(step_), step_);
}

Batch Trainer::batch_at(std::int64_t epoch, std::int64_t position) {
  const Clock::time_point began = Clock::now();
  const Batch batch = loader_.at(epoch, position);
  progress_.waited_for_data(Clock::now() - began);
  status_.enter(Phase::kStep);
  return batch;
}

// Ranks exchange gradients in the backward pass of a step's last batch only.
at::Tensor Trainer::loss_of(const Batch& batch, bool is_last_of_step) {
  const OptimConfig& optim = config_.optim;
  const DataShape shape = data_.train->shape();
  const MixedBatch shown = mixed(batch.inputs, batch.targets, shape.classes,
                                 draw_mix(optim, config_.seed, step_, shape.rows, shape.columns));
  const auto forward = [&] {
    const Autocast autocast(group_.device(), config_.train.precision);
    return model_->forward({shown.images, shown.targets, batch.lengths});
  };
  const at::Tensor scores = is_last_of_step ? ddp_.forward(forward) : ddp_.forward_no_sync(forward);
  return mean_cross_entropy(scores.to(at::kFloat), shown.targets, optim.label_smoothing);
}

// What is drawn at random from here on, as by dropout, is a function of seed, rank and place in the
// run: a resumed run draws the same.
void Trainer::seed_randomness(std::int64_t position) const {
  const std::uint64_t stream = config_.seed + static_cast<std::uint64_t>(group_.rank());
  torch::manual_seed(SampleRandom(stream, step_, position).bits());
}

std::int64_t Trainer::samples_of(std::int64_t epoch, const Plan::Positions& positions) const {
  std::int64_t samples = 0;
  for (std::int64_t position = positions.first; position < positions.last; ++position) {
    samples += loader_.samples_at(epoch, position);
  }
  return samples;
}

double Trainer::rate_of(std::int64_t step) const {
  return learning_rate(config_.schedule, scaled_lr(config_.optim, plan_.batch_size), step,
                       plan_.total_steps, plan_.steps_in(plan_.at(step).epoch), metrics_);
}

// Also the guard in front of every save: it throws when the loss is no number any more.
void Trainer::report_progress() {
  if (loss_.is_empty()) return;
  const double loss = loss_.take(group_, step_);  // (all)
  const Figures figures = progress_.measure(step_, loss, Clock::now());
  const double rate = rate_of(step_ - 1);
  say(progress_.line(step_, rate, figures));
  status_.figures(figures);
  if (!metrics_log_) return;
  metrics_log_->train({.step = step_,
                       .epoch = plan_.epoch_of(step_),
                       .loss = loss,
                       .learning_rate = rate,
                       .grad_norm = learner_.gradient_norm().item<double>(),
                       .samples_per_second = figures.samples_per_second,
                       .data_wait = figures.data_wait,
                       .comm_wait = figures.comm_wait});
}

void Trainer::report_evaluation() {
  status_.enter(Phase::kEval);
  ddp_.synchronize_buffers();  // (all)
  const auto on_batch = [this] { status_.go_on(); };
  const auto average = learner_.averaged();
  evaluation_ =  // (all)
      evaluate(*model_, *data_.val,
               {config_.train.eval_batch_size, config_.data.threads, config_.data.ahead}, group_,
               on_batch);
  evaluated_step_ = step_;
  metrics_.push_back(config_.schedule.metric == "loss" ? evaluation_->loss : evaluation_->accuracy);
  say("epoch " + epoch_text() + "/" + std::to_string(plan_.epochs) + " val loss " +
      four_digits(evaluation_->loss) + " accuracy " + four_digits(evaluation_->accuracy));
  if (!metrics_log_) return;
  metrics_log_->val({.step = step_,
                     .epoch = plan_.epoch_of(step_),
                     .loss = evaluation_->loss,
                     .accuracy = evaluation_->accuracy,
                     .top5 = evaluation_->top5});
}

void Trainer::resume() {
  TrainingState newest = state();
  checkpoints_.resume(newest);  // (all)
  step_ = newest.step;
  metrics_ = newest.metrics;
  open_metrics();
  if (step_ == 0) return;
  say("resumed from step " + std::to_string(step_) + " (epoch " + epoch_text() + ")");
  status_.checkpoint(step_);
}

void Trainer::open_metrics() {
  const std::string directory = metrics_directory(config_);
  if (group_.rank() != 0 || directory.empty()) return;
  metrics_log_.emplace(MetricsSettings{directory, config_.log.tensorboard},
                       StartFigures{.step = step_,
                                    .steps = plan_.total_steps,
                                    .epochs = plan_.epochs,
                                    .batch_size = plan_.batch_size,
                                    .ranks = group_.size(),
                                    .attempt = attempt_,
                                    .config_hash = state_hash(config_)},
                       log_line);
}

void Trainer::save() {
  if (!checkpoints_.is_writer()) return;
  if (metrics_log_) metrics_log_->sync();
  status_.enter(Phase::kCheckpoint);
  checkpoints_.save(state());
  if (evaluated_step_ == step_) {
    checkpoints_.judge(step_, evaluation_->loss, evaluation_->accuracy);
  }
  status_.checkpoint(step_);
}

TrainingState Trainer::state() const {
  return {tensors_of(*model_), learner_.state(), step_, plan_.epoch_of(step_), metrics_};
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

std::string Trainer::epoch_text() const { return std::to_string(plan_.epoch_of(step_)); }

void Trainer::say(const std::string& text) const {
  if (group_.rank() == 0) log_line(text);
}

}  // namespace lockstep
