// What stands around the training loop.
#include "trainer/run.h"

#include <stdexcept>

#include "trainer/contract.h"
#include "trainer/data/source.h"
#include "trainer/errors.h"
#include "trainer/log_line.h"
#include "trainer/stop_signal.h"
#include "trainer/torch.h"

namespace lockstep {
namespace {

constexpr std::uint64_t kValidationSeed =
    0x76616c;  // a synthetic val set is no copy of the train set

Datasets load_data(const Config& config) {
  const int classes = config.model.num_classes;
  return {load_source("data.train", config.data.train, classes, config.seed),
          load_source("data.val", config.data.val, classes, config.seed ^ kValidationSeed)};
}

// What must be equal on all ranks: everything but where files lie.
std::string common_part(Config config) {
  config.data.train.path = config.data.val.path = config.checkpoint.directory = "";
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

void introduce(const Config& config, const Group& group) {
  if (group.rank() != 0) return;
  log_line("configuration " + state_hash(config) + ":\n" + resolved(config));
  log_line("ranks " + std::to_string(group.size()) + ", device " + group.device().str() +
           ", threads of each " + std::to_string(at::get_num_threads()));
}

}  // namespace

Outcome run_training(const Config& config) {
  StatusWriter status(variable(contract::kStatus));
  const Place place = place_in(variable);
  status.enter(Phase::kData);
  Datasets data = load_data(config);
  status.enter(Phase::kInit);
  const std::unique_ptr<Group> group = join_group(place, config.train.backend);  // (all)
  require_agreement(*group, config, data);                                       // (all)
  choose_deterministic_algorithms(group->device());
  introduce(config, *group);
  Trainer trainer(config, place, *group, std::move(data), note_stop_signal(), status);
  const Outcome outcome = trainer.run();  // (all)
  group->leave();                         // (all)
  if (outcome == Outcome::kFinished) status.enter(Phase::kDone);
  return outcome;
}

}  // namespace lockstep
