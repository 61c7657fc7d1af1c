// The families of formats, one file each. See source.h, which chooses among them.
#pragma once

#include "trainer/batches/source.h"

namespace lockstep {

// Each opens data.train and data.val of a configuration whose formats are of its family.
Datasets open_images(const Config& config, at::Device device);
Datasets open_pictures(const Config& config);
Datasets open_tables(const Config& config);
Datasets open_labelled_texts(const Config& config);
Datasets open_token_windows(const Config& config);

// `whole` and what validates beside it, when data.val names nothing of its own.
Datasets split(std::unique_ptr<Dataset> whole, const Config& config);

}  // namespace lockstep
