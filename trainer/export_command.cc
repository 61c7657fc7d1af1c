// Finds the checkpoint, copies its model.
#include "trainer/export_command.h"

#include <charconv>
#include <cstdint>
#include <stdexcept>
#include <utility>

#include "trainer/errors.h"
#include "trainer/state/weights_file.h"

namespace lockstep {
namespace {

using Tell = std::function<void(const std::string&)>;

Checkpoint newest_in(const std::filesystem::path& directory, const Tell& tell) {
  FoundCheckpoints found = find_newest_checkpoint(directory);
  for (const DamagedCheckpoint& damaged : found.damaged) {
    tell("warning: checkpoint " + damaged.directory.string() + " is damaged (" + damaged.reason +
         ")");
  }
  if (found.newest) return *std::move(found.newest);
  throw std::invalid_argument("--from " + directory.string() + " holds no whole checkpoint");
}

std::int64_t best_in(const std::filesystem::path& directory) {
  if (const auto best = find_best_checkpoint(directory)) return best->step;
  throw std::invalid_argument("--from " + directory.string() +
                              " names no best checkpoint: train with checkpoint.best: accuracy");
}

std::int64_t number_in(const std::string& step) {
  std::int64_t number = -1;
  const char* end = step.data() + step.size();
  const auto [stop, error] = std::from_chars(step.data(), end, number);
  if (error == std::errc() && stop == end && number >= 0) return number;
  throw std::invalid_argument("--step " + step + " is no step: write a number or best");
}

}  // namespace

Checkpoint checkpoint_of(const ExportRequest& request, const Tell& tell) {
  if (request.step.empty()) return newest_in(request.from, tell);
  const bool is_best = request.step == "best";
  return read_checkpoint(request.from, is_best ? best_in(request.from) : number_in(request.step));
}

// The optimizer's file holds the averages of parameters, if the run made any.
std::vector<TensorRecord> exported_weights(const Checkpoint& checkpoint) {
  std::vector<TensorRecord> weights = checkpoint.model.tensors();
  for (TensorRecord& weight : weights) {
    const TensorRecord* average = checkpoint.optimizer.find(weight.name + ".ema");
    if (!average) continue;
    if (average->shape != weight.shape || average->dtype != weight.dtype) {
      throw BadData("the average of " + weight.name + " has another shape or type than it");
    }
    weight.bytes = average->bytes;
  }
  return weights;
}

void export_weights(const ExportRequest& request, const Tell& tell) {
  if (!request.overrides.empty()) {
    throw std::invalid_argument("--set " + request.overrides.front() +
                                " has no meaning for weights alone: leave it out, or let --to end "
                                "in .torchscript.pt");
  }
  const Checkpoint checkpoint = checkpoint_of(request, tell);
  write_weights(request.to, exported_weights(checkpoint));
  tell("wrote " + std::to_string(checkpoint.model.tensors().size()) + " tensors of step " +
       std::to_string(checkpoint.step) + " to " + request.to.string());
}

}  // namespace lockstep
