// What happens to a picture between the decoder and the batch. Pure.
#pragma once

#include "trainer/config/config.h"
#include "trainer/data/image.h"
#include "trainer/data/sample_random.h"

namespace lockstep {

// For evaluation: the short side scaled to data.resize, then the middle data.image_size pixels.
Image prepared(const Image& image, const DataConfig& data);

// For training: the crop of data.augment.crop, then flip, colours and RandAugment as asked for.
Image augmented(const Image& image, const DataConfig& data, SampleRandom& random);

}  // namespace lockstep
