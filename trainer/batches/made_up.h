// Data made up for a configuration, without any file: for benchmarks.
#pragma once

#include "trainer/batches/source.h"

namespace lockstep {

// Noise in the shape that data.train's format and the settings give a sample: `idx` and `synthetic`
// 28 x 28, texts of 1 to data.longest tokens; 10 classes unless model.num_classes or the format
// says more. Batches lie on `device` already. Both sets are the same.
// Throws std::invalid_argument for csv, whose columns only the file tells.
Datasets made_up_data(const Config& config, at::Device device);

}  // namespace lockstep
