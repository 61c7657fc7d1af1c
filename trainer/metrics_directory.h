// Where a run's metrics and traces go.
#pragma once

#include <string>

#include "trainer/config/config.h"

namespace lockstep {

// Empty: nowhere.
inline std::string metrics_directory(const Config& config) {
  if (!config.log.directory.empty()) return config.log.directory;
  const std::string& checkpoints = config.checkpoint.directory;
  return checkpoints.empty() ? "" : checkpoints + "/logs/metrics";
}

}  // namespace lockstep
