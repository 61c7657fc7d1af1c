// What the jobs of a manifest would get, through the same pure code that the operator runs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "operator/base/result.h"
#include "operator/plan/platform.h"

namespace lockstep {

// Objects of the first attempts of all jobs. They are whole only where there are no faults. Faults
// and warnings begin with the name of their job.
struct Rendering {
  std::vector<nlohmann::json> objects;
  std::vector<std::string> faults;
  std::vector<std::string> warnings;
};

// The namespace is that of jobs that name none. Errors: kInvalid when the text is no manifest, or
// holds no job.
Result<Rendering> render_manifest(const std::string& text, const std::string& default_namespace,
                                  const Platform& platform);

}  // namespace lockstep
