// Rank 0 reads and writes, the latter beside the training; a broadcast brings the others to the
// same state.
#include "trainer/checkpoints.h"

#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include "trainer/log_line.h"
#include "trainer/same_settings.h"
#include "trainer/shape_json.h"
#include "trainer/state/torch_tensors.h"
#include "trainer/torch.h"

namespace lockstep {
namespace {

std::vector<at::Tensor> values_of(const NamedTensors& tensors) {
  std::vector<at::Tensor> values;
  for (const auto& [name, tensor] : tensors) values.push_back(tensor);
  return values;
}

Retention retention_of(const CheckpointConfig& config) {
  return {config.keep, config.keep_every, config.best == "none" ? "" : config.best};
}

std::optional<double> quality_of(const std::optional<Evaluation>& evaluation,
                                 const std::string& by) {
  if (!evaluation || by == "none") return std::nullopt;
  return by == "loss" ? evaluation->loss : evaluation->accuracy;
}

// JSON has no infinity and no NaN: they are written as words. Earlier versions wrote null.
nlohmann::json written(const std::vector<double>& numbers) {
  auto list = nlohmann::json::array();
  for (const double number : numbers) {
    list.push_back(std::isfinite(number) ? nlohmann::json(number)
                                         : nlohmann::json(std::to_string(number)));
  }
  return list;
}

std::vector<double> read_numbers(const nlohmann::json& list) {
  std::vector<double> numbers;
  for (const nlohmann::json& item : list) {
    numbers.push_back(item.is_number()   ? item.get<double>()
                      : item.is_string() ? std::stod(item.get<std::string>())
                                         : std::numeric_limits<double>::quiet_NaN());
  }
  return numbers;
}

}  // namespace

Checkpoints::Checkpoints(const Config& config, const DataFacts& data, const Place& place,
                         Group& group)
    : config_(config),
      owner_{place.job_uid, place.attempt},
      shape_(data.shape),
      settings_(settings_to_resume(config, data.identity, data.steps_per_epoch)),
      group_(group) {}

void Checkpoints::own() {
  if (!is_on() || group_.rank() > 0) return;
  writer_.emplace(config_.checkpoint.directory, owner_, retention_of(config_.checkpoint));
}

Checkpoints::~Checkpoints() {
  try {
    finish();
  } catch (const std::exception& error) {
    log_line(std::string("warning: the last checkpoint was not saved: ") + error.what());
  }
}

void Checkpoints::resume(TrainingState& state) {
  if (!is_on() || config_.checkpoint.resume == "never") return;
  if (group_.rank() == 0) restore_newest(state);
  share(state);
}

// Numbers first: they tell the other ranks what is to come.
void Checkpoints::share(TrainingState& state) {
  const auto on_device = [this](const std::vector<std::int64_t>& values) {
    return at::tensor(values).to(group_.device());
  };
  const at::Tensor counts =
      on_device({state.step, state.epoch, static_cast<std::int64_t>(state.metrics.size()),
                 state.left_out_in_a_row});
  group_.broadcast({counts});
  state.step = counts[0].item<std::int64_t>();
  state.epoch = counts[1].item<std::int64_t>();
  if (state.step == 0) return;
  state.metrics.resize(static_cast<std::size_t>(counts[2].item<std::int64_t>()));
  state.left_out_in_a_row = static_cast<int>(counts[3].item<std::int64_t>());
  const at::Tensor metrics = at::tensor(state.metrics).to(group_.device());
  if (!state.metrics.empty()) group_.broadcast({metrics});
  for (std::size_t i = 0; i < state.metrics.size(); ++i) {
    state.metrics[i] = metrics[static_cast<std::int64_t>(i)].item<double>();
  }
  group_.broadcast(values_of(state.model));
  group_.broadcast(values_of(state.optimizer));
}

void Checkpoints::restore_newest(TrainingState& state) {
  const FoundCheckpoints found = find_newest_checkpoint(config_.checkpoint.directory);
  for (const DamagedCheckpoint& damaged : found.damaged) {
    log_line("warning: checkpoint " + damaged.directory.string() + " is damaged (" +
             damaged.reason + ")");
  }
  if (!found.newest) {
    if (!found.damaged.empty()) log_line("warning: no whole checkpoint is left: starting from 0");
    return;
  }
  const Checkpoint& checkpoint = *found.newest;
  if (config_.checkpoint.resume != "force") {
    require_same_settings(checkpoint, settings_, config_.checkpoint.directory);
  }
  restore("model.safetensors", checkpoint.model, state.model);
  restore("optimizer.safetensors", checkpoint.optimizer, state.optimizer);
  state.step = checkpoint.step;
  state.epoch = checkpoint.state.value("epoch", std::int64_t{0});
  state.metrics = read_numbers(checkpoint.state.value("metrics", nlohmann::json::array()));
  state.left_out_in_a_row = checkpoint.state.value("left_out_in_a_row", 0);
  if (writer_) writer_->continue_from(checkpoint.step);
}

void Checkpoints::save(const TrainingState& state, const std::optional<Evaluation>& evaluation) {
  if (!writer_) return;
  finish();
  const bool waits = !config_.checkpoint.asynchronous;
  saving_ = std::async(waits ? std::launch::deferred : std::launch::async,
                       [this, moment = moment_of(state, evaluation)] { return publish(moment); });
  if (waits) finish();
}

// A copy is needed only where training goes on.
Checkpoints::Moment Checkpoints::moment_of(const TrainingState& state,
                                           const std::optional<Evaluation>& evaluation) {
  const auto held = [this](Snapshot& snapshot, const NamedTensors& tensors) {
    return config_.checkpoint.asynchronous ? snapshot.take(tensors) : on_host(tensors);
  };
  return {.step = state.step,
          .model = held(model_, state.model),
          .optimizer = held(optimizer_, state.optimizer),
          .state = numbers_of(state),
          .quality = quality_of(evaluation, config_.checkpoint.best)};
}

nlohmann::json Checkpoints::numbers_of(const TrainingState& state) const {
  return {{"step", state.step},
          {"epoch", state.epoch},
          {"metrics", written(state.metrics)},
          {"left_out_in_a_row", state.left_out_in_a_row},
          {"seed", config_.seed},
          {"shape", json_of(shape_)},
          {"settings", settings_},
          {"config_hash", state_hash(config_)},
          {"config", resolved(config_)}};
}

std::int64_t Checkpoints::publish(const Moment& moment) {
  const std::vector<TensorRecord> model = records_of(moment.model);
  const std::vector<TensorRecord> optimizer = records_of(moment.optimizer);
  writer_->publish(moment.step, {.model = model, .optimizer = optimizer, .state = moment.state});
  if (moment.quality) writer_->judge(moment.step, *moment.quality);
  return moment.step;
}

std::optional<std::int64_t> Checkpoints::newly_durable() {
  using std::chrono::seconds;
  if (saving_.valid() && saving_.wait_for(seconds(0)) == std::future_status::ready) finish();
  return std::exchange(newly_durable_, std::nullopt);
}

void Checkpoints::finish() {
  if (saving_.valid()) newly_durable_ = saving_.get();
}

}  // namespace lockstep
