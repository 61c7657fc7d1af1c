// The container that trains: the template's `trainer` container with the job's shorthands laid over
// it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "operator/api/training_job.h"

namespace lockstep {

// On the nodes of a group. Without an image of its own it has none here; env holds only what the
// user wrote.
nlohmann::json trainer_container(const JobSpec& spec, const NodeGroup& group);

// Whether neither spec nor template names an image, so that the operator's trainer image runs.
bool uses_our_image(const JobSpec& spec);

// Entries of `over` replace those of `base` with the same name in place; the others follow. Both
// are arrays of objects with a name.
nlohmann::json merge_by_name(nlohmann::json base, const nlohmann::json& over);

}  // namespace lockstep
