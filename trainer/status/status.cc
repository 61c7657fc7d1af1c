// Writes JSON by hand: names and numbers only, once a step.
#include "trainer/status/status.h"

#include <charconv>
#include <cmath>

namespace lockstep {
namespace {

constexpr const char* kPhases[] = {"init", "data", "step", "checkpoint", "eval", "done"};

template <typename Number>
void add(std::string& line, const char* name, const std::optional<Number>& value) {
  if (!value || !std::isfinite(static_cast<double>(*value))) return;
  char digits[40];
  char* end = std::to_chars(digits, digits + sizeof digits, *value).ptr;
  line.append(", \"").append(name).append("\": ").append(&digits[0], end);
}

}  // namespace

std::string line_of(const Status& status) {
  std::string line = R"({"phase": ")";
  line.append(kPhases[static_cast<int>(status.phase)]).append("\"");
  add(line, "epoch", status.epoch);
  add(line, "epochs", status.epochs);
  add(line, "step", status.step);
  add(line, "steps", status.steps);
  add(line, "checkpointStep", status.checkpoint_step);
  add(line, "loss", status.figures.loss);
  add(line, "samplesPerSecond", status.figures.samples_per_second);
  add(line, "secondsRemaining", status.figures.seconds_remaining);
  add(line, "dataWait", status.figures.data_wait);
  add(line, "commWait", status.figures.comm_wait);
  add(line, "mfu", status.figures.mfu);
  add(line, "memory", status.figures.memory);
  return line.append("}\n");
}

}  // namespace lockstep
