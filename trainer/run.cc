// What stands around the training loop.
#include "trainer/run.h"

#include <stdexcept>

#include "trainer/batches/made_up.h"
#include "trainer/batches/source.h"
#include "trainer/contract.h"
#include "trainer/dry_run.h"
#include "trainer/errors.h"
#include "trainer/group/peer_lost.h"
#include "trainer/log_line.h"
#include "trainer/overfit.h"
#include "trainer/stop_signal.h"
#include "trainer/torch.h"

namespace lockstep {
namespace {

constexpr int kMost = 1'000'000;  // checkpoints: none goes

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

using OpenData = Datasets (*)(const Config&, at::Device);

// What data.train and data.val name, or what train.overfit_batches leaves of it.
Datasets open_data(const Config& config, at::Device device) {
  return first_batches(open_datasets(config, device), config);
}

// Meets the other ranks, has `work` done by a trainer, and leaves together.
template <typename Work>
auto with_trainer(const Config& config, StatusWriter& status, OpenData open, Work&& work) {
  const Place place = place_in(variable);
  status.enter(Phase::kData);
  Datasets data = open(config, device_of(place, config.train.backend));
  status.enter(Phase::kInit);
  const std::unique_ptr<Group> group = join_group(place, config.train.backend);  // (all)
  require_agreement(*group, config, data);                                       // (all)
  choose_deterministic_algorithms(group->device());
  introduce(config, *group, data);
  Trainer trainer(config, place, *group, std::move(data), note_stop_signal(), status);
  try {
    auto result = work(trainer);  // (all)
    group->leave();               // (all)
    return result;
  } catch (const std::exception& error) {
    if (!is_timeout(error)) throw;
    throw PeerLost(group->who_is_late(trainer.whereabouts()));
  }
}

}  // namespace

Outcome run_training(const Config& config) {
  StatusWriter status(variable(contract::kStatus));
  return with_trainer(config, status, open_data, [&](Trainer& trainer) {
    const Outcome outcome = trainer.run();  // (all)
    if (outcome == Outcome::kFinished) status.enter(Phase::kDone);
    return outcome;
  });
}

Evaluation run_evaluation(Config config) {
  if (config.checkpoint.resume == "never") config.checkpoint.resume = "auto";
  StatusWriter status(std::nullopt);
  return with_trainer(config, status, open_data,
                      [](Trainer& trainer) { return trainer.evaluate_newest(); });
}

void run_rehearsal(Config config) {
  std::optional<RehearsalDirectory> directory;
  std::string& checkpoints = config.checkpoint.directory;
  const bool is_first = place_in(variable).rank == 0;  // who alone writes checkpoints
  if (is_first && !checkpoints.empty()) checkpoints = directory.emplace(checkpoints).path();
  config.checkpoint.asynchronous = false;
  config.checkpoint.keep = kMost;
  config.log.profile_at = 0;
  config.log.directory.clear();
  StatusWriter status(std::nullopt);
  with_trainer(config, status, open_data, [&](Trainer& trainer) {
    const std::string text = trainer.rehearse();  // (all)
    if (is_first) log_line(text);
    return Outcome::kFinished;
  });
}

std::optional<BenchFigures> run_bench(Config config, const BenchPlan& plan, bool has_data) {
  config.checkpoint.directory.clear();
  config.log.directory.clear();
  config.train.epochs = config.train.max_steps = static_cast<int>(plan.all());
  StatusWriter status(std::nullopt);
  return with_trainer(config, status, has_data ? open_data : made_up_data,
                      [&](Trainer& trainer) { return trainer.bench(plan); });  // (all)
}

}  // namespace lockstep
