// The parts of a Trainer, each built alone so that each has its own finding; see training.h.
#include "trainer/doctor/training.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <memory>
#include <optional>

#include "trainer/batches/loader.h"
#include "trainer/batches/source.h"
#include "trainer/contract.h"
#include "trainer/exit_code.h"
#include "trainer/group/peer_lost.h"
#include "trainer/learner.h"
#include "trainer/model/registry.h"
#include "trainer/plan.h"
#include "trainer/same_settings.h"
#include "trainer/state/checkpoint_directory.h"
#include "trainer/state/torch_tensors.h"
#include "trainer/state/torch_weights.h"
#include "trainer/torch.h"

namespace lockstep {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto kLoaderTime = 1s;

std::uint64_t bytes_of(const NamedTensors& tensors) {
  std::uint64_t bytes = 0;
  for (const auto& [name, tensor] : tensors) bytes += tensor.nbytes();
  return bytes;
}

// Without pages of files, which the system takes back when it needs room.
std::uint64_t own_memory() {
  std::ifstream file("/proc/self/statm");  // pages: all, resident, resident of files, ...
  std::uint64_t all = 0, resident = 0, of_files = 0;
  file >> all >> resident >> of_files;
  return (resident - of_files) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

// Runs `look`, which adds a finding or more; what it throws becomes one with that exit code.
template <typename Look>
bool finds(std::vector<Finding>& findings, const std::string& check, const std::string& advice,
           const Look& look) {
  try {
    look();
    return true;
  } catch (const std::exception& error) {
    findings.push_back(bad(check, sentence_of(error), advice, exit_code_of(error)));
    return false;
  }
}

class Examination {
 public:
  Examination(const Config& config, const Place& place) : config_(config), place_(place) {}

  TrainingFacts all() {
    const bool has_data = open_data();
    const bool has_plan = has_data && look_at_batches();
    const bool has_model = has_data && build_model();
    if (has_plan && has_model) look_at_checkpoint();
    return std::move(facts_);
  }

 private:
  bool open_data() {
    return finds(facts_.findings, "data", "Correct data.train and data.val, or what they name.",
                 [this] {
                   data_.emplace(open_datasets(config_, at::kCPU));
                   look_at_samples("data.train", *data_->train);
                   look_at_samples("data.val", *data_->val);
                   facts_.sizes.program = own_memory();
                 });
  }

  void look_at_samples(const std::string& name, const Dataset& data) {
    for (const std::int64_t index : {std::int64_t{0}, data.size() - 1}) {
      data.batch(std::span(&index, 1), std::nullopt);
    }
    facts_.findings.push_back(
        ok(name, std::to_string(data.size()) + " samples, the first and the last are readable"));
  }

  bool look_at_batches() {
    return finds(
        facts_.findings, "batches", "Change train.batch_size or the data as it says.", [this] {
          plan_ = plan_for(config_, data_->train->facts(), place_.world_size);
          facts_.findings.push_back(
              ok("batches", std::to_string(plan_.batch_size_per_rank * plan_.accumulate) +
                                " samples for each of " + std::to_string(place_.world_size) +
                                (place_.world_size == 1 ? " rank, " : " ranks, ") +
                                std::to_string(plan_.total_steps) + " steps in all"));
          measure_loader();
        });
  }

  // The batches of this rank from the start of a run, for a second.
  void measure_loader() {
    Loader loader(*data_->train, sampling_for(config_, place_.world_size), place_.rank, at::kCPU,
                  {config_.data.threads, config_.data.ahead});
    std::int64_t samples = 0;
    const Clock::time_point began = Clock::now();
    for (std::int64_t epoch = 0; Clock::now() - began < kLoaderTime; ++epoch) {
      const std::int64_t batches = loader.batches_in(epoch);
      for (std::int64_t i = 0; i < batches && Clock::now() - began < kLoaderTime; ++i) {
        const Batch batch = loader.at(epoch, i);
        samples += batch.size();
        facts_.sizes.batch = batch.inputs.nbytes() + batch.targets.nbytes();
      }
    }
    const std::chrono::duration<double> took = Clock::now() - began;
    const double rate = static_cast<double>(samples) / took.count();
    const double steps = rate / static_cast<double>(plan_.batch_size_per_rank * plan_.accumulate);
    char text[100];
    std::snprintf(text, sizeof text, "%.0f samples/s in this rank, %.3g steps/s at most", rate,
                  steps);
    facts_.findings.push_back(ok("loader", text));
  }

  bool build_model() {
    return finds(
        facts_.findings, "model", "Change the model's or the optimizer's settings as it says.",
        [this] {
          model_ = make_model(config_.model, data_->train->shape(), config_.seed);
          if (!config_.model.weights.empty()) {
            load_weights(config_.model.weights, *model_, config_.model.new_head);
          }
          learner_ = std::make_unique<Learner>(*model_, config_, at::kCPU);
          Sizes& sizes = facts_.sizes;
          sizes.model = bytes_of(tensors_of(*model_));
          sizes.optimizer = bytes_of(learner_->state());
          std::int64_t parameters = 0;
          for (const at::Tensor& parameter : model_->parameters()) {
            parameters += parameter.numel();
            if (parameter.requires_grad()) sizes.gradients += parameter.nbytes();
          }
          facts_.findings.push_back(ok(
              "model", config_.model.name + ", " + std::to_string(parameters) + " parameters in " +
                           size_text(sizes.model) + ", optimizer " + size_text(sizes.optimizer)));
        });
  }

  void look_at_checkpoint() {
    const std::string& directory = config_.checkpoint.directory;
    if (directory.empty() || place_.rank > 0) return;
    finds(facts_.findings, "resume",
          "Take the settings that it has, another checkpoint.directory, or checkpoint.resume: "
          "force or never.",
          [&] { resume_from(directory); });
  }

  void resume_from(const std::string& directory) {
    const std::string check = "resume";
    const FoundCheckpoints found = find_newest_checkpoint(directory);
    for (const DamagedCheckpoint& damaged : found.damaged) {
      facts_.findings.push_back(
          warning(check, damaged.directory.string() + " is damaged: " + damaged.reason,
                  "An older one is taken; look after the storage."));
    }
    if (!found.newest) {
      facts_.findings.push_back(ok(check, "no checkpoint: training starts at step 0"));
      return;
    }
    const std::string step = "step " + std::to_string(found.newest->step);
    if (config_.checkpoint.resume == "never") {
      facts_.findings.push_back(
          warning(check, step + " is there, but checkpoint.resume is never",
                  "Leave checkpoint.resume at auto to go on from it; else it will be replaced."));
      return;
    }
    if (config_.checkpoint.resume != "force") require_same(*found.newest);
    restore("model.safetensors", found.newest->model, tensors_of(*model_));
    restore("optimizer.safetensors", found.newest->optimizer, learner_->state());
    const std::string last = std::to_string(plan_.total_steps);
    facts_.findings.push_back(
        found.newest->step < plan_.total_steps
            ? ok(check, step + " of " + last + " is whole and would be resumed")
            : warning(check, step + " is the last of " + last,
                      "Raise train.epochs or train.max_steps to train further: nothing is left to "
                      "do."));
  }

  void require_same(const Checkpoint& checkpoint) const {
    require_same_settings(checkpoint,
                          settings_to_resume(config_, identity_of(*data_), plan_.steps_in(0)),
                          config_.checkpoint.directory);
  }

  const Config& config_;
  const Place& place_;
  TrainingFacts facts_;
  std::optional<Datasets> data_;
  Plan plan_;
  std::shared_ptr<Model> model_;
  std::unique_ptr<Learner> learner_;
};

}  // namespace

TrainingFacts look_at_training(const Config& config, const Place& place) {
  return Examination(config, place).all();
}

}  // namespace lockstep
