// The training loop, top down. A line marked (all) is a collective: every rank must reach it.
#include "trainer/trainer.h"

#include <cstdio>

#include "trainer/log_line.h"
#include "trainer/optim/schedule.h"
#include "trainer/torch.h"

namespace lockstep {
namespace {

using Clock = std::chrono::steady_clock;

std::shared_ptr<Model> make_model_on(at::Device device, const Config& config,
                                     const ImageSet& data) {
  auto model = make_model(config.model, {data.rows(), data.columns()}, config.seed);
  model->to(device);
  return model;
}

std::string four_digits(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.4f", value);
  return text;
}

bool is_multiple(std::int64_t value, std::int64_t of) { return of > 0 && value % of == 0; }

}  // namespace

Trainer::Trainer(const Config& config, const Place& place, Group& group, Datasets data,
                 const std::atomic<bool>& stop_requested, StatusWriter& status)
    : config_(config),
      group_(group),
      stop_requested_(stop_requested),
      status_(status),
      checkpoints_(config, identity_of(data), place, group),
      train_data_(std::move(data.train), config.data.mean, config.data.std, group.device()),
      val_data_(std::move(data.val), config.data.mean, config.data.std, group.device()),
      plan_(plan_for(config, train_data_.size(), group.size())),
      model_(make_model_on(group.device(), config, train_data_)),
      optimizer_(*model_, config.optim),
      ddp_(model_, group, config.ddp),  // (all)
      progress_(plan_),
      loss_(group.device()) {
  status_.plan(plan_.epochs, plan_.total_steps);
  // The first parameter's gradient comes last. A rank that has it, and now waits for the others, is
  // heard once more; the one they wait for is not, and so it is the longest silent.
  model_->parameters().front().register_hook(
      [this](const at::Tensor&) { status_.step(plan_.epoch_of(step_), step_); });
}

Outcome Trainer::run() {
  step_ = checkpoints_.resume(*model_, optimizer_);  // (all)
  if (step_ > 0) {
    say("resumed from step " + std::to_string(step_) + " (epoch " + epoch_text() + ")");
    status_.checkpoint(step_);
  }
  while (step_ < plan_.total_steps) {
    const bool is_stopped = !train_to_end_of_epoch();  // (all)
    if (is_stopped || is_due(config_.checkpoint.every_epochs)) save();
    if (is_stopped) return Outcome::kStopped;
    if (is_due(config_.train.eval_every_epochs)) report_evaluation();  // (all)
  }
  if (!evaluation_) report_evaluation();  // (all) everything was done before this run
  say("accuracy " + four_digits(evaluation_->accuracy));
  return Outcome::kFinished;
}

bool Trainer::train_to_end_of_epoch() {
  const DistributedSampler sampler = sampler_of(step_ / plan_.steps_per_epoch);
  const std::int64_t end = plan_.epoch_end(step_);
  model_->train();
  while (step_ < end) {
    if (group_.any_asked(stop_requested_)) {  // (all)
      report_progress();                      // (all)
      return false;
    }
    train_step(next_batch(sampler));  // (all)
    const bool is_save_due = is_multiple(step_, config_.checkpoint.every_steps);
    if (is_multiple(step_, config_.log.every_steps) || is_save_due || step_ == end) {
      report_progress();  // (all)
    }
    if (is_save_due) save();
  }
  return true;
}

DistributedSampler Trainer::sampler_of(std::int64_t epoch) const {
  return DistributedSampler({.dataset_size = train_data_.size(),
                             .world_size = group_.size(),
                             .rank = group_.rank(),
                             .seed = config_.seed,
                             .shuffle = config_.data.shuffle,
                             .drop_last = config_.data.drop_last},
                            epoch);
}

Batch Trainer::next_batch(const DistributedSampler& sampler) {
  const Clock::time_point began = Clock::now();
  const std::int64_t first = step_ % plan_.steps_per_epoch * plan_.batch_size_per_rank;
  Batch batch = train_data_.gather(sampler.slice(first, plan_.batch_size_per_rank));
  progress_.waited_for_data(Clock::now() - began);
  return batch;
}

void Trainer::train_step(const Batch& batch) {
  status_.enter(Phase::kStep);
  ddp_.zero_grad();
  const at::Tensor scores = ddp_.forward(batch.images);                  // (all)
  const at::Tensor loss = at::cross_entropy_loss(scores, batch.labels);  // shape [], batch mean
  loss.backward();                                                       // (all)
  progress_.waited_for_ranks(ddp_.time_waited());
  optimizer_.step(rate_of(step_));
  loss_.add(loss, batch.size());
  progress_.count(++step_, Clock::now());
  status_.step(plan_.epoch_of(step_), step_);
}

double Trainer::rate_of(std::int64_t step) const {
  return learning_rate(config_.schedule, config_.optim.lr, step, plan_.total_steps,
                       plan_.steps_per_epoch);
}

// Also the guard in front of every save: it throws when the loss is no number any more.
void Trainer::report_progress() {
  if (loss_.is_empty()) return;
  const double loss = loss_.take(group_, step_);  // (all)
  const Figures figures = progress_.measure(step_, loss, Clock::now());
  say(progress_.line(step_, rate_of(step_ - 1), figures));
  status_.figures(figures);
}

void Trainer::report_evaluation() {
  status_.enter(Phase::kEval);
  ddp_.synchronize_buffers();  // (all)
  const auto on_batch = [this] { status_.go_on(); };
  evaluation_ =  // (all)
      evaluate(*model_, val_data_, config_.train.eval_batch_size, group_, on_batch);
  say("epoch " + epoch_text() + "/" + std::to_string(plan_.epochs) + " val loss " +
      four_digits(evaluation_->loss) + " accuracy " + four_digits(evaluation_->accuracy));
}

void Trainer::save() {
  if (!checkpoints_.is_writer()) return;
  status_.enter(Phase::kCheckpoint);
  checkpoints_.save({step_, plan_.epoch_of(step_)}, *model_, optimizer_);
  status_.checkpoint(step_);
}

// Asked at the end of an epoch or of the run, whose last state is always due.
bool Trainer::is_due(int every_epochs) const {
  return step_ == plan_.total_steps || is_multiple(step_ / plan_.steps_per_epoch, every_epochs);
}

std::string Trainer::epoch_text() const { return std::to_string(plan_.epoch_of(step_)); }

void Trainer::say(const std::string& text) const {
  if (group_.rank() == 0) log_line(text);
}

std::string identity_of(const Datasets& data) {
  char text[40];
  std::snprintf(text, sizeof text, "train %08x val %08x", data.train.identity(),
                data.val.identity());
  return text;
}

}  // namespace lockstep
