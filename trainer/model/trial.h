// Whether a model that was not built in does what the trainer will ask of it.
#pragma once

#include <cstdint>
#include <string>

#include "trainer/model/model.h"

namespace lockstep {

// `size` samples as the data has them, made up: torch's random numbers. Texts and windows are of
// `length` tokens; of texts, the last is one shorter where that leaves any.
Batch made_up_batch(const DataShape& shape, std::int64_t size, std::int64_t length);

// Shows the model two samples, without a gradient. Throws std::invalid_argument, which begins with
// `origin`, when it cannot score them, its scores are not of the right shape, or it has nothing to
// train.
void require_scores(Model& model, const DataShape& shape, const std::string& origin);

}  // namespace lockstep
