// kubectl lockstep list. Pure.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "operator/api/meta.h"
#include "operator/plugin/table.h"

namespace lockstep {

// A line for each job of a List. "" when there are none.
std::string list_jobs(const nlohmann::json& jobs, bool with_namespace, Time now,
                      const Paint& paint = {});

}  // namespace lockstep
