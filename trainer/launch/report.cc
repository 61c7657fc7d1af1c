// Checks one JSON line; see report.h.
#include "trainer/launch/report.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "trainer/contract.h"

namespace lockstep {
namespace {

using nlohmann::json;

constexpr double kMostWhole = 9007199254740991;  // 2^53 - 1: exact in a double and in JavaScript
constexpr double kMost = std::numeric_limits<double>::max();
constexpr std::string_view kPhases[] = {"init", "data", "step", "checkpoint", "eval", "done"};

std::string fault_of(const FieldRule& rule, const json& value) {
  const bool has_type = rule.is_whole ? value.is_number_integer() : value.is_number();
  const std::string name = '"' + std::string(rule.name) + '"';
  if (!has_type) return name + (rule.is_whole ? " is no whole number" : " is no number");
  const double number = value.get<double>();
  if (number < rule.least) return name + " is negative";
  if (number > rule.most) return name + " is too large";
  return {};
}

std::string fault_of_phase(const json& value) {
  const bool is_known = value.is_string() && std::count(std::begin(kPhases), std::end(kPhases),
                                                        value.get_ref<const std::string&>()) > 0;
  return is_known ? "" : "\"phase\" is none of init, data, step, checkpoint, eval, done";
}

}  // namespace

const std::array<FieldRule, kFieldCount> kFieldRules = {{
    {Field::kEpoch, "epoch", true, 0, kMostWhole, "epoch", "Epoch under way, from 1."},
    {Field::kEpochs, "epochs", true, 0, kMostWhole, "epochs", "Epochs of the whole run."},
    {Field::kStep, "step", true, 0, kMostWhole, "step", "Steps done since the run began."},
    {Field::kSteps, "steps", true, 0, kMostWhole, "steps", "Steps of the whole run."},
    {Field::kCheckpointStep, "checkpointStep", true, 0, kMostWhole, "checkpoint_step",
     "Step of the newest checkpoint."},
    {Field::kLoss, "loss", false, -kMost, kMost, "loss", "Training loss."},
    {Field::kSamplesPerSecond, "samplesPerSecond", false, 0, kMost, "samples_per_second",
     "Speed of the whole job as this rank sees it."},
    {Field::kSecondsRemaining, "secondsRemaining", false, 0, kMost, "remaining_seconds",
     "Time until the run ends, as this rank sees it."},
    {Field::kDataWait, "dataWait", false, 0, 1, "data_wait_ratio",
     "Share of the time spent waiting for data."},
    {Field::kCommWait, "commWait", false, 0, 1, "comm_wait_ratio",
     "Share of the time spent waiting for other ranks."},
    {Field::kMfu, "mfu", false, 0, kMost, "mfu_ratio",
     "Share of the devices' peak that the model's operations reach."},
    {Field::kMemory, "memory", false, 0, kMost, "peak_memory_bytes",
     "Most memory in use so far, of the device."},
}};

std::string merge_line(Report& report, std::string_view line) {
  const json message = json::parse(line, nullptr, false);
  if (!message.is_object()) return "it is no JSON object";
  Report merged = report;
  for (const auto& [key, value] : message.items()) {
    const auto* rule = std::find_if(kFieldRules.begin(), kFieldRules.end(),
                                    [&](const FieldRule& each) { return each.name == key; });
    std::string fault;
    if (key == "phase") {
      fault = fault_of_phase(value);
      if (fault.empty()) merged.phase = value.get<std::string>();
    } else if (key == "schema") {
      if (value != contract::kStatusSchema) fault = "\"schema\" is not 1";
    } else if (rule != kFieldRules.end()) {
      fault = fault_of(*rule, value);
      if (fault.empty()) merged[rule->field] = value.get<double>();
    }
    if (!fault.empty()) return fault;
  }
  report = merged;
  return {};
}

}  // namespace lockstep
