// What a rank says about its training: the schema of docs/progress.md. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep {

enum class Field {
  kEpoch,
  kEpochs,
  kStep,
  kSteps,
  kCheckpointStep,
  kLoss,
  kSamplesPerSecond,
  kSecondsRemaining,
  kDataWait,
  kCommWait,
  kMfu,
  kMemory,
};

// A field's name in JSON, the numbers it may hold, and its Prometheus metric.
struct FieldRule {
  Field field;
  const char* name;
  bool is_whole;
  double least, most;
  const char* metric;
  const char* help;
};

inline constexpr std::size_t kFieldCount = 12;
extern const std::array<FieldRule, kFieldCount> kFieldRules;  // in the order of Field

// All that a rank has said so far. Whole numbers stay below 2^53, so that a double holds them.
struct Report {
  std::string phase;  // empty: not said
  std::array<std::optional<double>, kFieldCount> values;

  std::optional<double>& operator[](Field field) { return values[static_cast<int>(field)]; }
  const std::optional<double>& operator[](Field field) const {
    return values[static_cast<int>(field)];
  }
};

// Lays the fields of one line over the report; what the line leaves out stays. Returns what is
// wrong with the line, and then nothing has changed; empty when it is well.
std::string merge_line(Report& report, std::string_view line);

}  // namespace lockstep
