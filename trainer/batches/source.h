// Finds and reads what a data section of the configuration names.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "trainer/batches/dataset.h"
#include "trainer/config/config.h"
#include "trainer/data/idx_reader.h"

namespace lockstep {

struct Datasets {
  std::unique_ptr<Dataset> train;
  std::unique_ptr<Dataset> val;
};

// Opens data.train and data.val; batches of sets held in memory come on `device`.
// Throws BadData for a path or file that is missing or damaged, for a label that is not below
// model.num_classes (or, where that is 0, below the number of classes in data.train) and for a
// validation set whose samples have another shape.
Datasets open_datasets(const Config& config, at::Device device);

// Equal for equal data.
std::string identity_of(const Datasets& data);

// 28 x 28 images of noise in which a bright band's position tells the class. For dry runs and
// tests: the same bytes on every platform.
IdxDataset synthetic_dataset(std::int64_t samples, int num_classes, std::uint64_t seed);

}  // namespace lockstep
