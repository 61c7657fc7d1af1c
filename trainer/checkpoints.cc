// Rank 0 reads and writes; a broadcast brings the others to the same state.
#include "trainer/checkpoints.h"

#include <stdexcept>

#include "trainer/log_line.h"
#include "trainer/state/torch_tensors.h"
#include "trainer/torch.h"

namespace lockstep {
namespace {

constexpr char kDataIdentity[] = "data.identity";

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

}  // namespace

Checkpoints::Checkpoints(const Config& config, std::string data_identity, const Place& place,
                         Group& group)
    : config_(config), settings_(state_settings(config)), group_(group) {
  settings_[kDataIdentity] = std::move(data_identity);
  if (is_on() && group.rank() == 0) {
    writer_.emplace(config.checkpoint.directory, CheckpointOwner{place.job_uid, place.attempt},
                    config.checkpoint.keep);
  }
}

std::int64_t Checkpoints::resume(Model& model, const Sgd& optimizer) {
  if (!is_on() || config_.checkpoint.resume == "never") return 0;
  const at::Tensor step = at::zeros({1}, at::dtype(at::kLong).device(group_.device()));
  if (group_.rank() == 0) step.fill_(restore_newest(model, optimizer));
  group_.broadcast({step});
  if (step.item<std::int64_t>() > 0) {
    group_.broadcast(values_of(tensors_of(model)));
    group_.broadcast(values_of(optimizer.state()));
  }
  return step.item<std::int64_t>();
}

std::int64_t Checkpoints::restore_newest(Model& model, const Sgd& optimizer) {
  const FoundCheckpoints found = find_newest_checkpoint(config_.checkpoint.directory);
  for (const DamagedCheckpoint& damaged : found.damaged) {
    log_line("warning: checkpoint " + damaged.directory.string() + " is damaged (" +
             damaged.reason + ")");
  }
  if (!found.newest) {
    if (!found.damaged.empty()) log_line("warning: no whole checkpoint is left: starting from 0");
    return 0;
  }
  const Checkpoint& checkpoint = *found.newest;
  if (config_.checkpoint.resume != "force") require_same_settings(checkpoint);
  restore("model.safetensors", checkpoint.model, tensors_of(model));
  restore("optimizer.safetensors", checkpoint.optimizer, optimizer.state());
  writer_->continue_from(checkpoint.step);
  return checkpoint.step;
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

void Checkpoints::save(const Cursor& cursor, const Model& model, const Sgd& optimizer) {
  if (!writer_) return;
  const NamedTensors weights = on_host(tensors_of(model));
  const NamedTensors velocities = on_host(optimizer.state());
  const std::vector<TensorRecord> model_records = records_of(weights);
  const std::vector<TensorRecord> optimizer_records = records_of(velocities);
  writer_->publish(cursor.step, {.model = model_records,
                                 .optimizer = optimizer_records,
                                 .state = {{"step", cursor.step},
                                           {"epoch", cursor.epoch},
                                           {"seed", config_.seed},
                                           {"settings", settings_},
                                           {"config_hash", state_hash(config_)},
                                           {"config", resolved(config_)}}});
}

}  // namespace lockstep
