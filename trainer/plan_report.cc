// Walks the draws of an epoch twice: to count them, and to print them, one batch a line.
#include "trainer/plan_report.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "trainer/data/draw_counts.h"
#include "trainer/data/exact_eval.h"
#include "trainer/plan.h"

namespace lockstep {
namespace {

using Json = nlohmann::ordered_json;

// An epoch of all ranks, whatever cuts it.
class Epoch {
 public:
  virtual ~Epoch() = default;
  virtual Json summary() const = 0;
  virtual std::int64_t batches(int rank) const = 0;
  virtual Draw draw(int rank, std::int64_t position) const = 0;
  virtual Json line(const Draw& draw, int rank, std::int64_t position) const = 0;
};

Json settings_of(const SamplerConfig& method) {
  if (method.name == "length_bucket") {
    return {{"up_to", method.up_to}, {"batch", method.batch}, {"window", method.window}};
  }
  if (method.name == "repeat_factor") return {{"threshold", method.threshold}};
  if (method.name == "weighted") return {{"weights", method.weights}};
  if (method.name == "multigrid") {
    return {{"short_cycle", method.short_cycle}, {"long_cycle", method.long_cycle}};
  }
  return Json::object();
}

class TrainingEpoch : public Epoch {
 public:
  TrainingEpoch(const Config& config, const SampleFacts& facts, const PlanQuestion& question)
      : config_(config),
        plan_(plan_for(config, facts, question.world_size)),
        steps_(plan_.steps_in(question.epoch)),
        sampler_(make_sampler(sampling_for(config, question.world_size), facts, question.epoch)) {}

  Json summary() const override {
    const auto& data = config_.data;
    Json settings = {{"seed", config_.seed}, {"shuffle", data.shuffle}, {"tail", data.tail}};
    settings.update(settings_of(data.sampler));
    return {{"sampler", data.sampler.name},   {"settings", settings},
            {"batch_size", plan_.batch_size}, {"batch_size_per_rank", plan_.batch_size_per_rank},
            {"accumulate", plan_.accumulate}, {"steps", steps_},
            {"batches", batches(0)}};
  }

  // Without those of a last step that data.tail drops.
  std::int64_t batches(int) const override {
    return std::min(sampler_->batches(), steps_ * plan_.accumulate);
  }

  Draw draw(int rank, std::int64_t position) const override {
    return sampler_->draw(rank, position);
  }

  Json line(const Draw& draw, int, std::int64_t position) const override {
    Json line = {{"step", position / plan_.accumulate}, {"batch", position}};
    if (config_.data.sampler.name == "length_bucket") line["bucket"] = draw.bucket;
    if (config_.data.sampler.name == "multigrid") {
      line["time_scale"] = draw.time_scale;
      line["space_scale"] = draw.space_scale;
    }
    return line;
  }

 private:
  const Config& config_;
  Plan plan_;
  std::int64_t steps_;
  std::unique_ptr<Sampler> sampler_;
};

class EvaluationEpoch : public Epoch {
 public:
  EvaluationEpoch(const Config& config, const SampleFacts& facts, const PlanQuestion& question)
      : batch_size_(config.train.eval_batch_size) {
    for (int rank = 0; rank < question.world_size; ++rank) {
      ranks_.emplace_back(facts.size, batch_size_, question.world_size, rank);
    }
  }

  Json summary() const override {
    return {{"sampler", "exact_eval"},
            {"settings", Json::object()},
            {"batch_size", batch_size_},
            {"batches", ranks_[0].batch_count()}};
  }

  std::int64_t batches(int rank) const override { return ranks_[rank].size(); }

  Draw draw(int rank, std::int64_t position) const override {
    const EvalBatch batch = ranks_[rank][position];
    Draw draw;
    draw.indices.resize(batch.last - batch.first);
    std::iota(draw.indices.begin(), draw.indices.end(), batch.first);
    return draw;
  }

  Json line(const Draw&, int rank, std::int64_t position) const override {
    return {{"batch", ranks_[rank][position].index}};
  }

 private:
  std::int64_t batch_size_;
  std::vector<ExactEval> ranks_;
};

std::unique_ptr<Epoch> epoch_of(const Config& config, const SampleFacts& facts,
                                const PlanQuestion& question) {
  if (question.is_evaluation) return std::make_unique<EvaluationEpoch>(config, facts, question);
  return std::make_unique<TrainingEpoch>(config, facts, question);
}

void require_below(const char* what, std::int64_t value, std::int64_t end) {
  if (value >= 0 && value < end) return;
  throw std::invalid_argument(std::string("there is no ") + what + " " + std::to_string(value) +
                              ": write one from 0 to " + std::to_string(end - 1));
}

void require_possible(const SampleFacts& facts, const PlanQuestion& question) {
  require_below("epoch", question.epoch, 1'000'000);
  if (question.rank) require_below("rank", *question.rank, question.world_size);
  if (question.sample) require_below("sample", *question.sample, facts.size);
}

template <typename Visit>
void for_each_batch(const Epoch& epoch, int first_rank, int last_rank, Visit visit) {
  for (int rank = first_rank; rank <= last_rank; ++rank) {
    for (std::int64_t position = 0; position < epoch.batches(rank); ++position) {
      visit(rank, position, epoch.draw(rank, position));
    }
  }
}

// Of all ranks; waste to four digits.
void add_counts(Json& document, const Epoch& epoch, const SampleFacts& facts, int world_size) {
  DrawCounts counts(facts.size, facts.lengths);
  for_each_batch(epoch, 0, world_size - 1,
                 [&](int, std::int64_t, const Draw& draw) { counts.add(draw); });
  document["counts"] = {
      {"drawn", counts.drawn()}, {"repeated", counts.repeated()}, {"missing", counts.missing()}};
  if (facts.lengths.empty()) return;
  document["padding"] = {{"values", counts.values()},
                         {"padded", counts.padded()},
                         {"waste", std::round(counts.waste() * 1e4) / 1e4}};
}

std::vector<Json> seen(const Epoch& epoch, std::int64_t sample, int first_rank, int last_rank) {
  std::vector<Json> places;
  for_each_batch(epoch, first_rank, last_rank,
                 [&](int rank, std::int64_t position, const Draw& draw) {
                   for (std::size_t i = 0; i < draw.indices.size(); ++i) {
                     if (draw.indices[i] != sample) continue;
                     Json place = {{"rank", rank}};
                     place.update(epoch.line(draw, rank, position));
                     place["place"] = i;
                     places.push_back(place);
                   }
                 });
  return places;
}

std::vector<Json> batches_of(const Epoch& epoch, int rank) {
  std::vector<Json> lines;
  for_each_batch(epoch, rank, rank, [&](int, std::int64_t position, const Draw& draw) {
    lines.push_back(epoch.line(draw, rank, position));
    lines.back()["indices"] = draw.indices;
  });
  return lines;
}

// ["a", "b"] with one entry a line.
std::string list_text(const std::vector<Json>& entries, const std::string& indent) {
  std::string text;
  for (const Json& entry : entries)
    text += (text.empty() ? "" : ",") + ("\n" + indent + "  ") + entry.dump();
  return text.empty() ? "[]" : "[" + text + "\n" + indent + "]";
}

std::string ranks_text(const Epoch& epoch, int first_rank, int last_rank) {
  std::string text;
  for (int rank = first_rank; rank <= last_rank; ++rank) {
    text += rank == first_rank ? "\n" : ",\n";
    text += "    {\"rank\": " + std::to_string(rank) +
            ", \"batches\": " + list_text(batches_of(epoch, rank), "    ") + "}";
  }
  return "[" + text + "\n  ]";
}

void require_printable(std::int64_t indices) {
  if (indices <= kMostPrinted) return;
  throw std::invalid_argument("would print " + std::to_string(indices) + " indices, more than " +
                              std::to_string(kMostPrinted) + ": name one --rank or one --sample");
}

}  // namespace

std::string plan_report(Config config, const SampleFacts& facts, const PlanQuestion& question) {
  require_possible(facts, question);
  config.train.epochs = static_cast<int>(question.epoch) + 1;
  config.train.max_steps = 0;
  const auto epoch = epoch_of(config, facts, question);
  Json document = epoch->summary();
  document["samples"] = facts.size;
  document["world_size"] = question.world_size;
  document["epoch"] = question.epoch;
  add_counts(document, *epoch, facts, question.world_size);

  std::string text = "{";
  for (const auto& [key, value] : document.items()) {
    text += "\n  \"" + key + "\": " + value.dump() + ",";
  }
  const int first_rank = question.rank.value_or(0);
  const int last_rank = question.rank.value_or(question.world_size - 1);
  if (question.sample) {
    const auto places = seen(*epoch, *question.sample, first_rank, last_rank);
    return text + "\n  \"sample\": " + std::to_string(*question.sample) +
           ",\n  \"seen\": " + list_text(places, "  ") + "\n}\n";
  }
  const std::int64_t drawn = document["counts"]["drawn"];
  require_printable(question.rank ? drawn / question.world_size : drawn);
  return text + "\n  \"ranks\": " + ranks_text(*epoch, first_rank, last_rank) + "\n}\n";
}

}  // namespace lockstep
