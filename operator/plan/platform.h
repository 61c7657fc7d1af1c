// What the operator's flags and the API server offer to every job.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "operator/api/resources.h"

namespace lockstep {

struct Platform {
  std::string trainer_image;
  std::string launcher_image;  // of jobs that have the launcher injected
  std::vector<std::string> accelerators =
      default_accelerators();  // resource names; a trailing * matches any rest
  // The kinds of PodGroup that are served and that the operator may use.
  std::optional<Resource> volcano;
  std::optional<Resource> coscheduling;
  std::optional<Resource> native;
  bool has_kueue = false;  // likewise its Workloads

  static std::vector<std::string> default_accelerators();
};

}  // namespace lockstep
