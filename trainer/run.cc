// What stands around the training loop.
#include "trainer/run.h"

#include <stdexcept>

#include "trainer/batches/source.h"
#include "trainer/contract.h"
#include "trainer/errors.h"
#include "trainer/log_line.h"
#include "trainer/stop_signal.h"
#include "trainer/torch.h"

namespace lockstep {
namespace {

// What must be equal on all ranks: everything but where files lie.
std::string common_part(Config config) {
  config.data.train.path = config.data.val.path = "";
  config.checkpoint.directory = config.log.directory = "";
  return resolved(config);
}

void require_agreement(Group& group, const Config& config, const Datasets& data) {
  if (const auto sentence = group.disagreement("configuration", common_part(config))) {
    throw std::invalid_argument(*sentence + "; give every rank the same configuration");
  }
  if (const auto sentence = group.disagreement("data", identity_of(data))) {
    throw BadData(*sentence + "; give every rank the same files");
  }
}

// Equal runs give equal bits on the CPU, which is what makes a resumed run exact.
void choose_deterministic_algorithms(at::Device device) {
  if (!device.is_cpu()) return;
  at::globalContext().setDeterministicAlgorithms(true, /*warn_only=*/false);
  at::globalContext().setDeterministicFillUninitializedMemory(false);
}

std::string text_of(const Dataset& data) {
  const DataShape shape = data.shape();
  const std::string kind =
      shape.vocabulary > 0 ? "of " + std::to_string(shape.vocabulary) + " tokens"
                           : std::to_string(shape.channels) + " x " + std::to_string(shape.rows) +
                                 " x " + std::to_string(shape.columns);
  return std::to_string(data.size()) + " samples (" + kind + ", " + std::to_string(shape.classes) +
         " classes)";
}

void introduce(const Config& config, const Group& group, const Datasets& data) {
  if (group.rank() != 0) return;
  log_line("configuration " + state_hash(config) + ":\n" + resolved(config));
  log_line("data: train " + text_of(*data.train) + ", val " + std::to_string(data.val->size()));
  log_line("ranks " + std::to_string(group.size()) + ", device " + group.device().str() +
           ", threads of each " + std::to_string(at::get_num_threads()));
}

// Meets the other ranks, has `work` done by a trainer, and leaves together.
template <typename Work>
auto with_trainer(const Config& config, StatusWriter& status, Work&& work) {
  const Place place = place_in(variable);
  status.enter(Phase::kData);
  Datasets data = open_datasets(config, device_of(place, config.train.backend));
  status.enter(Phase::kInit);
  const std::unique_ptr<Group> group = join_group(place, config.train.backend);  // (all)
  require_agreement(*group, config, data);                                       // (all)
  choose_deterministic_algorithms(group->device());
  introduce(config, *group, data);
  Trainer trainer(config, place, *group, std::move(data), note_stop_signal(), status);
  auto result = work(trainer);  // (all)
  group->leave();               // (all)
  return result;
}

}  // namespace

Outcome run_training(const Config& config) {
  StatusWriter status(variable(contract::kStatus));
  return with_trainer(config, status, [&](Trainer& trainer) {
    const Outcome outcome = trainer.run();  // (all)
    if (outcome == Outcome::kFinished) status.enter(Phase::kDone);
    return outcome;
  });
}

Evaluation run_evaluation(const Config& config) {
  StatusWriter status(std::nullopt);
  return with_trainer(config, status, [](Trainer& trainer) { return trainer.evaluate_newest(); });
}

}  // namespace lockstep
