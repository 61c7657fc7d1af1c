// What a trainer tells of itself: the log, the metrics, the status.
#include <cstdio>

#include "trainer/log_line.h"
#include "trainer/metrics_directory.h"
#include "trainer/overfit.h"
#include "trainer/torch.h"
#include "trainer/trainer.h"

namespace lockstep {
namespace {

std::string four_digits(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.4f", value);
  return text;
}

}  // namespace

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

// Also the guard in front of every save: it throws when the loss is no number any more.
void Trainer::report_progress() {
  if (loss_.is_empty()) return;
  const double loss = loss_.take(group_, step_);  // (all)
  const Figures figures =
      efficiency_.completed(progress_.measure(step_, loss, std::chrono::steady_clock::now()));
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
                       .comm_wait = figures.comm_wait,
                       .mfu = figures.mfu,
                       .memory = figures.memory});
}

void Trainer::report_evaluation() {
  evaluation_ = evaluated(*data_.val);  // (all)
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

void Trainer::report_end(const std::optional<Evaluation>& before) {
  if (step_ < plan_.total_steps) {
    const int patience = config_.schedule.stop_patience;
    say("stopped early at step " + std::to_string(step_) + "/" + std::to_string(plan_.total_steps) +
        ": more than " + std::to_string(patience) + " evaluations without a better " +
        config_.schedule.metric + " (schedule.stop_patience)");
  }
  say("accuracy " + four_digits(evaluation_->accuracy));
  if (before) say(overfit_verdict(data_.val->size(), *before, *evaluation_));
}

std::string Trainer::whereabouts() const {
  if (is_evaluating_) return "the evaluation after step " + std::to_string(step_);
  return "step " + std::to_string(step_ + 1);
}

std::string Trainer::epoch_text() const { return std::to_string(plan_.epoch_of(step_)); }

void Trainer::say(const std::string& text) const {
  if (group_.rank() == 0) log_line(text);
}

}  // namespace lockstep
