// Finds and reads what a data section of the configuration names.
#pragma once

#include <cstdint>

#include "trainer/config/config.h"
#include "trainer/data/idx_reader.h"

namespace lockstep {

// Reads the files of format idx, or draws the images of format synthetic from `seed`.
// `section` names the source in messages: "data.train".
// Throws BadData for a path or file that is missing or damaged, and for a label that is not below
// `num_classes`.
IdxDataset load_source(const std::string& section, const SourceConfig& source, int num_classes,
                       std::uint64_t seed);

// 28 x 28 images of noise in which a bright band's position tells the class. For dry runs and
// tests: the same bytes on every platform.
IdxDataset synthetic_dataset(std::int64_t samples, int num_classes, std::uint64_t seed);

}  // namespace lockstep
