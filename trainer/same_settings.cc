// Compares the settings in state.json with those of this run.
#include "trainer/same_settings.h"

#include <stdexcept>
#include <vector>

namespace lockstep {
namespace {

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

Settings settings_to_resume(const Config& config, const std::string& data_identity,
                            std::int64_t steps_per_epoch) {
  Settings settings = state_settings(config);
  settings["data.identity"] = data_identity;
  settings["number of steps per epoch"] = std::to_string(steps_per_epoch);
  return settings;
}

void require_same_settings(const Checkpoint& checkpoint, const Settings& settings,
                           const std::string& directory) {
  auto written = checkpoint.state.at("settings").get<Settings>();
  written.merge(state_settings(Config{}));  // it is as if settings of later versions had been there
  const std::vector<std::string> names = differing(written, settings);
  if (names.empty()) return;
  throw std::invalid_argument("checkpoint step " + std::to_string(checkpoint.step) + " in " +
                              directory + " was written with another " + joined(names) +
                              ": use the settings it has, another checkpoint.directory (in a "
                              "TrainingJob another checkpoints.subPath), or checkpoint.resume: "
                              "force");
}

}  // namespace lockstep
