// How far a rank is, as one JSON line of docs/progress.md. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace lockstep {

enum class Phase { kInit, kData, kStep, kCheckpoint, kEval, kDone };

// Of the steps since the last log point; what is not known is empty.
struct Figures {
  std::optional<double> loss{};
  std::optional<double> samples_per_second{};  // of the whole job
  std::optional<double> seconds_remaining{};   // until the end of the run
  std::optional<double> data_wait{};           // share of the time, 0 to 1
  std::optional<double> comm_wait{};           // share of the time, 0 to 1
  std::optional<double> mfu{};                 // share of the devices' peak that is computed
  std::optional<double> memory{};              // bytes, the most so far: speed/memory.h
};

struct Status {
  Phase phase = Phase::kInit;
  std::optional<std::int64_t> epoch{}, epochs{}, step{}, steps{}, checkpoint_step{};
  Figures figures{};
};

// Ends with a line feed. Leaves out what is empty or no finite number.
std::string line_of(const Status& status);

}  // namespace lockstep
