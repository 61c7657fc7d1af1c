// Rank 0 reads and writes; a broadcast brings the others to the same state.
#include "trainer/checkpoints.h"

#include <stdexcept>

#include "trainer/log_line.h"
#include "trainer/state/torch_tensors.h"
#include "trainer/torch.h"

namespace lockstep {
namespace {

constexpr char kDataIdentity[] = "data.identity";
constexpr char kStepsPerEpoch[] = "number of steps per epoch";

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::vector<at::Tensor> values_of(const NamedTensors& tensors) {
  std::vector<at::Tensor> values;
  for (const auto& [name, tensor] : tensors) values.push_back(tensor);
  return values;
}

Retention retention_of(const CheckpointConfig& config) {
  return {config.keep, config.keep_every, config.best == "none" ? "" : config.best};
}

}  // namespace

Checkpoints::Checkpoints(const Config& config, const DataFacts& data, const Place& place,
                         Group& group)
    : config_(config), settings_(state_settings(config)), group_(group) {
  settings_[kDataIdentity] = data.identity;
  settings_[kStepsPerEpoch] = std::to_string(data.steps_per_epoch);
  if (is_on() && group.rank() == 0) {
    writer_.emplace(config.checkpoint.directory, CheckpointOwner{place.job_uid, place.attempt},
                    retention_of(config.checkpoint));
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
      on_device({state.step, state.epoch, static_cast<std::int64_t>(state.metrics.size())});
  group_.broadcast({counts});
  state.step = counts[0].item<std::int64_t>();
  state.epoch = counts[1].item<std::int64_t>();
  if (state.step == 0) return;
  state.metrics.resize(static_cast<std::size_t>(counts[2].item<std::int64_t>()));
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
  if (config_.checkpoint.resume != "force") require_same_settings(checkpoint);
  restore("model.safetensors", checkpoint.model, state.model);
  restore("optimizer.safetensors", checkpoint.optimizer, state.optimizer);
  state.step = checkpoint.step;
  state.epoch = checkpoint.state.value("epoch", std::int64_t{0});
  state.metrics = checkpoint.state.value("metrics", std::vector<double>{});
  writer_->continue_from(checkpoint.step);
}

void Checkpoints::require_same_settings(const Checkpoint& checkpoint) const {
  const auto written = checkpoint.state.at("settings").get<Settings>();
  const std::vector<std::string> names = differing(written, settings_);
  if (names.empty()) return;
  throw std::invalid_argument("checkpoint step " + std::to_string(checkpoint.step) + " in " +
                              config_.checkpoint.directory + " was written with another " +
                              joined(names) +
                              ": use the settings it has, another checkpoint.directory (in a "
                              "TrainingJob another checkpoints.subPath), or checkpoint.resume: "
                              "force");
}

void Checkpoints::save(const TrainingState& state) {
  if (!writer_) return;
  const NamedTensors model = on_host(state.model);
  const NamedTensors optimizer = on_host(state.optimizer);
  const std::vector<TensorRecord> model_records = records_of(model);
  const std::vector<TensorRecord> optimizer_records = records_of(optimizer);
  writer_->publish(state.step, {.model = model_records,
                                .optimizer = optimizer_records,
                                .state = {{"step", state.step},
                                          {"epoch", state.epoch},
                                          {"metrics", state.metrics},
                                          {"seed", config_.seed},
                                          {"settings", settings_},
                                          {"config_hash", state_hash(config_)},
                                          {"config", resolved(config_)}}});
}

void Checkpoints::judge(std::int64_t step, double loss, double accuracy) {
  if (!writer_ || config_.checkpoint.best == "none") return;
  writer_->judge(step, config_.checkpoint.best == "loss" ? loss : accuracy);
}

}  // namespace lockstep
