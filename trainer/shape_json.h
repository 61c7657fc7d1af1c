// The shape of the data in a checkpoint's state.json, so that its model can be built without data.
#pragma once

#include <nlohmann/json.hpp>

#include "trainer/batches/batch.h"

namespace lockstep {

nlohmann::json json_of(const DataShape& shape);

// The inverse. Throws std::invalid_argument for anything else.
DataShape shape_in(const nlohmann::json& json);

}  // namespace lockstep
