// From flags to a configuration and the facts of a data set.
#include "trainer/plan_command.h"

#include <algorithm>
#include <stdexcept>

#include "trainer/data/number_file.h"

namespace lockstep {
namespace {

constexpr int kMostRanks = 65'536;
constexpr std::int64_t kUsualBatch = 32;

void add_setting(ConfigSources& sources, const std::string& name,
                 const std::optional<std::int64_t>& value) {
  if (value) sources.overrides.push_back(name + "=" + std::to_string(*value));
}

// Where nobody says how large a batch is, one that divides evenly over any number of ranks.
void add_usual_batch(ConfigSources& sources, std::int64_t world_size, std::int64_t accumulate) {
  const std::int64_t batch = kUsualBatch * world_size * accumulate;
  if (!sources.environment.empty()) return;
  sources.environment = "train: {batch_size: " + std::to_string(batch) + "}";
}

Config config_of(const PlanFlags& flags) {
  ConfigSources sources = flags.sources;
  add_usual_batch(sources, flags.question.world_size, flags.accumulate.value_or(1));
  const bool is_evaluation = flags.question.is_evaluation;
  if (!flags.sampler.empty() && !is_evaluation) {
    sources.overrides.push_back("data.sampler.name=" + flags.sampler);
  }
  add_setting(sources, is_evaluation ? "train.eval_batch_size" : "train.batch_size",
              flags.batch_size);
  add_setting(sources, "train.accumulate", flags.accumulate);
  add_setting(sources, "seed", flags.seed);
  return load_config(sources);
}

// Of the flags that tell how many samples there are, any one; all must agree.
std::int64_t sample_count(const PlanFlags& flags, const SampleFacts& facts) {
  const std::int64_t told[] = {flags.samples.value_or(0), std::ssize(facts.lengths),
                               std::ssize(facts.classes), std::ssize(facts.weights)};
  const std::int64_t count = std::ranges::max(told);
  if (count == 0) {
    throw std::invalid_argument(
        "the number of samples is not told: write --n or a file of "
        "--lengths, --classes or --weights");
  }
  for (const std::int64_t other : told) {
    if (other == 0 || other == count) continue;
    throw std::invalid_argument(
        "--n, --lengths, --classes and --weights disagree: " + std::to_string(other) + " and " +
        std::to_string(count) + " samples");
  }
  return count;
}

SampleFacts facts_of(const PlanFlags& flags) {
  SampleFacts facts;
  if (!flags.lengths.empty()) facts.lengths = read_whole_numbers(flags.lengths);
  if (!flags.classes.empty()) facts.classes = read_whole_numbers(flags.classes);
  if (!flags.weights.empty()) facts.weights = read_numbers(flags.weights);
  facts.size = sample_count(flags, facts);
  return facts;
}

}  // namespace

CLI::App& add_plan_command(CLI::App& app, PlanFlags& flags) {
  CLI::App& command = *app.add_subcommand("plan", "Print which samples each rank will see (JSON)");
  command.add_option("--sampler", flags.sampler,
                     "data.sampler.name, or exact_eval for the evaluation's batches");
  command.add_option("--n", flags.samples, "Samples of the data set")
      ->check(CLI::Range(std::int64_t{1}, kMostNumbers));
  command.add_option("--world", flags.question.world_size, "Ranks")
      ->check(CLI::Range(1, kMostRanks));
  command.add_option("--rank", flags.question.rank, "Print only this rank, from 0");
  command.add_option("--epoch", flags.question.epoch, "Epoch, from 0");
  command.add_option("--sample", flags.question.sample,
                     "Print which rank sees this sample, from 0, at which step");
  command.add_option("--lengths", flags.lengths, "File: the length of each sample");
  command.add_option("--classes", flags.classes, "File: the class of each sample");
  command.add_option("--weights", flags.weights, "File: the weight of each sample");
  command.add_option("--batch-size", flags.batch_size,
                     "train.batch_size, of all ranks; default 32 for each batch of each rank");
  command.add_option("--accumulate", flags.accumulate, "train.accumulate")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{10'000'000}));
  command.add_option("--seed", flags.seed, "seed");
  command.add_option("--config", flags.sources.files, "YAML file of settings; may be repeated");
  command.add_option("--set", flags.sources.overrides,
                     "One setting: section.key=value; may be repeated");
  return command;
}

std::string plan_document(const PlanFlags& flags) {
  PlanFlags resolved_flags = flags;
  resolved_flags.question.is_evaluation = flags.sampler == "exact_eval";
  const Config config = config_of(resolved_flags);
  return plan_report(config, facts_of(flags), resolved_flags.question);
}

}  // namespace lockstep
