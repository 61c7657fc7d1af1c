// Reads progress within its ranges.
#include "operator/plugin/progress.h"

#include <algorithm>
#include <cmath>

#include "operator/api/fields.h"
#include "operator/api/node_group.h"
#include "operator/plugin/answer.h"
#include "operator/plugin/words.h"
#include "trainer/contract.h"

namespace lockstep {
namespace {

using nlohmann::json;

constexpr double kLargestWhole = 9007199254740991;  // 2^53 - 1
constexpr double kLargest = 1e300;
constexpr std::string_view kPhases[] = {"init", "data", "step", "checkpoint", "eval", "done"};

std::optional<double> number(const json& source, const char* key, double low, double high) {
  const json& value = fields::member(source, key);
  if (!value.is_number()) return std::nullopt;
  const double figure = value.get<double>();
  if (!std::isfinite(figure) || figure < low || figure > high) return std::nullopt;
  return figure;
}

std::optional<std::int64_t> whole(const json& source, const char* key,
                                  double high = kLargestWhole) {
  const auto figure = number(source, key, 0, high);
  if (!figure || std::floor(*figure) != *figure) return std::nullopt;
  return static_cast<std::int64_t>(*figure);
}

std::string known_phase(const json& source) {
  const std::string phase = fields::text(source, "phase");
  const auto found = std::find(std::begin(kPhases), std::end(kPhases), phase);
  return found == std::end(kPhases) ? "" : phase;
}

std::optional<Slowest> parse_slowest(const json& page) {
  const json& source = fields::member(page, "slowest");
  const auto rank = whole(source, "rank", kMaxNodes * kMaxProcPerNode - 1);
  const auto node = whole(page, "nodeRank", kMaxNodes - 1);
  if (!rank || !node) return std::nullopt;
  return Slowest{.node_rank = static_cast<int>(*node),
                 .rank = static_cast<int>(*rank),
                 .phase = known_phase(source),
                 .epoch = whole(source, "epoch").value_or(0),
                 .step = whole(source, "step").value_or(0),
                 .silent_seconds = number(source, "secondsSinceProgress", 0, kLargest).value_or(0)};
}

std::string of(const std::optional<std::int64_t>& done, const std::optional<std::int64_t>& all) {
  if (!done) return "";
  return std::to_string(*done) + (all ? "/" + std::to_string(*all) : "");
}

}  // namespace

Progress parse_progress(const json& source) {
  return {.epoch = whole(source, "epoch"),
          .epochs = whole(source, "epochs"),
          .step = whole(source, "step"),
          .steps = whole(source, "steps"),
          .checkpoint_step = whole(source, "checkpointStep"),
          .loss = number(source, "loss", -kLargest, kLargest),
          .samples_per_second = number(source, "samplesPerSecond", 0, kLargest),
          .seconds_remaining = number(source, "secondsRemaining", 0, kLargest),
          .data_wait = number(source, "dataWait", 0, 1),
          .comm_wait = number(source, "commWait", 0, 1)};
}

std::optional<NodePage> parse_page(const std::string& text) {
  const json page = parse_printable(text);
  if (whole(page, "schema") != contract::kStatusSchema) return std::nullopt;
  return NodePage{.progress = parse_progress(fields::member(page, "progress")),
                  .slowest = parse_slowest(page)};
}

std::string steps_text(const Progress& progress) { return of(progress.step, progress.steps); }

std::string done_text(const Progress& progress) {
  if (!progress.step || progress.steps.value_or(0) == 0) return "";
  return percent_text(static_cast<double>(*progress.step) / static_cast<double>(*progress.steps));
}

std::string describe(const Progress& progress) {
  std::string text;
  const auto add = [&](const std::string& before, const std::string& figure,
                       const std::string& after = "") {
    if (!figure.empty()) text += (text.empty() ? "" : ", ") + before + figure + after;
  };
  const auto quantity = [](const std::optional<double>& value) {
    return value ? quantity_text(*value) : "";
  };
  const std::string done = done_text(progress);
  add("epoch ", of(progress.epoch, progress.epochs));
  add("step ", steps_text(progress), done.empty() ? "" : " (" + done + ")");
  add("loss ", quantity(progress.loss));
  add("", quantity(progress.samples_per_second), " samples/s");
  add("", progress.seconds_remaining ? duration_text(*progress.seconds_remaining) : "", " left");
  add("checkpoint of step ", of(progress.checkpoint_step, std::nullopt));
  return text;
}

}  // namespace lockstep
