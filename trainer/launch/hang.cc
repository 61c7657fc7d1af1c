// The rule and its words; see hang.h.
#include "trainer/launch/hang.h"

#include <cmath>

namespace lockstep {
namespace {

std::string whole(double number) { return std::to_string(std::llround(number)); }

}  // namespace

std::optional<Hang> find_hang(const NodeStatus& node, double allowed_seconds) {
  const auto silence = silent_seconds(node.ranks);
  if (!silence || *silence < allowed_seconds) return std::nullopt;
  const RankStatus& culprit = *slowest(node.ranks);
  return Hang{culprit.rank,
              *culprit.silent_seconds,
              culprit.report.phase,
              culprit.report[Field::kEpoch],
              culprit.report[Field::kStep],
              culprit.is_stopped};
}

std::string describe(const Hang& hang) {
  std::string text = "hangs: ";
  if (hang.is_stopped) text += "stopped (SIGSTOP), ";
  text += "silent for " + whole(hang.silent_seconds) + " s";
  std::string place;
  if (!hang.phase.empty()) place += ", phase " + hang.phase;
  if (hang.epoch) place += ", epoch " + whole(*hang.epoch);
  if (hang.step) place += ", step " + whole(*hang.step);
  return place.empty() ? text : text + ", last heard of in " + place.substr(2);
}

}  // namespace lockstep
