// Reads and writes progress; every number is checked.
#include "operator/api/progress.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <tuple>

#include "operator/api/fields.h"
#include "operator/api/node_group.h"
#include "trainer/contract.h"

namespace lockstep {
namespace {

using nlohmann::json;

constexpr std::int64_t kLargestWhole = std::int64_t{1} << 53;
constexpr double kLargest = 1e30;
constexpr std::array<std::string_view, 6> kPhases = {"init",       "data", "step",
                                                     "checkpoint", "eval", "done"};

std::optional<std::int64_t> whole(const json& source, const char* key) {
  const std::int64_t value = fields::integer(source, key, -1);
  return value >= 0 && value < kLargestWhole ? std::optional(value) : std::nullopt;
}

// Six digits are more than anybody reads, and keep status short and equal to what was read back.
double rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return std::strtod(text, nullptr);
}

std::optional<double> number(const json& source, const char* key, double least,
                             double largest = kLargest) {
  const json& value = fields::member(source, key);
  if (!value.is_number()) return std::nullopt;
  const double found = value.get<double>();
  return found >= least && found <= largest ? std::optional(rounded(found)) : std::nullopt;
}

template <typename Value>
void put(json& object, const char* key, const std::optional<Value>& value) {
  if (value) object[key] = *value;
}

std::optional<NodeReport::Rank> parse_rank(const json& source) {
  NodeReport::Rank rank;
  rank.rank = fields::small_integer(source, "rank", -1);
  if (rank.rank < 0 || rank.rank >= kMaxNodes * kMaxProcPerNode) return std::nullopt;
  const std::string phase = fields::text(source, "phase");
  if (std::find(kPhases.begin(), kPhases.end(), phase) != kPhases.end()) rank.phase = phase;
  rank.epoch = whole(source, "epoch").value_or(0);
  rank.step = whole(source, "step");
  rank.silent_seconds = number(source, "secondsSinceProgress", 0).value_or(0);
  rank.is_stopped = fields::flag(source, "stopped");
  return rank;
}

}  // namespace

std::optional<int> percent_of(const Progress& progress) {
  const auto share = [](double done, double all) {
    return static_cast<int>(std::clamp(std::floor(100 * done / all), 0.0, 100.0));
  };
  if (progress.step && progress.steps.value_or(0) > 0) {
    return share(static_cast<double>(*progress.step), static_cast<double>(*progress.steps));
  }
  if (progress.epoch && progress.epochs.value_or(0) > 0) {  // the one under way is not done
    return share(static_cast<double>(*progress.epoch) - 1, static_cast<double>(*progress.epochs));
  }
  return std::nullopt;
}

Progress parse_progress(const json& source) {
  return {.epoch = whole(source, "epoch"),
          .epochs = whole(source, "epochs"),
          .step = whole(source, "step"),
          .steps = whole(source, "steps"),
          .checkpoint_step = whole(source, "checkpointStep"),
          .loss = number(source, "loss", -kLargest),
          .samples_per_second = number(source, "samplesPerSecond", 0),
          .seconds_remaining = number(source, "secondsRemaining", 0),
          .data_wait = number(source, "dataWait", 0, 1),
          .comm_wait = number(source, "commWait", 0, 1)};
}

json to_json(const Progress& progress) {
  json object = json::object();
  put(object, "epoch", progress.epoch);
  put(object, "epochs", progress.epochs);
  put(object, "step", progress.step);
  put(object, "steps", progress.steps);
  put(object, "percent", percent_of(progress));
  put(object, "checkpointStep", progress.checkpoint_step);
  put(object, "loss", progress.loss);
  put(object, "samplesPerSecond", progress.samples_per_second);
  put(object, "secondsRemaining", progress.seconds_remaining);
  put(object, "dataWait", progress.data_wait);
  put(object, "commWait", progress.comm_wait);
  return object;
}

bool is_behind(const NodeReport::Rank& one, const NodeReport::Rank& other) {
  const auto place = [](const NodeReport::Rank& rank) {
    return std::tuple(!rank.is_stopped, !rank.step, rank.epoch, rank.step.value_or(0),
                      rank.phase != "checkpoint", -rank.silent_seconds);
  };
  return place(one) < place(other);
}

std::optional<NodeReport> parse_node_report(std::string_view page) {
  const json source = json::parse(page, nullptr, /*allow_exceptions=*/false);
  if (fields::integer(source, "schema") != contract::kStatusSchema) return std::nullopt;
  NodeReport report;
  report.job = fields::text(source, "job");
  report.uid = fields::text(source, "uid");
  report.attempt = fields::small_integer(source, "attempt", -1);
  report.node_rank = fields::small_integer(source, "nodeRank", -1);
  report.silent_seconds = number(source, "secondsSinceProgress", 0);
  const json& progress = fields::member(source, "progress");
  if (progress.is_object()) report.progress = parse_progress(progress);
  report.slowest = parse_rank(fields::member(source, "slowest"));
  if (report.slowest) report.slowest->node_rank = report.node_rank;
  return report;
}

}  // namespace lockstep
