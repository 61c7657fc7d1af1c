// train.overfit_batches: can a model learn a few batches by heart?
#pragma once

#include <string>

#include "trainer/batches/source.h"
#include "trainer/config/config.h"
#include "trainer/eval.h"

namespace lockstep {

// `data` as it is when train.overfit_batches is 0. Otherwise the first so many batches of
// data.train, a hundred times in an epoch or as often as they fit into that of `data`; evaluated is
// on the same samples, once.
Datasets first_batches(Datasets data, const Config& config);

// One sentence: the loss on `samples` samples before and after, and what follows.
std::string overfit_verdict(std::int64_t samples, const Evaluation& before,
                            const Evaluation& after);

}  // namespace lockstep
