// The steps in torchvision's order.
#include "trainer/batches/augmentation.h"

#include "trainer/data/colour.h"
#include "trainer/data/geometry.h"
#include "trainer/data/rand_augment.h"

namespace lockstep {
namespace {

Image cropped(const Image& image, const DataConfig& data, SampleRandom& random) {
  const AugmentConfig& augment = data.augment;
  if (augment.crop == "resized") return random_resized_crop(image, data.image_size, {}, random);
  if (augment.crop == "padded") {
    return random_padded_crop(resized_short_side(image, data.image_size), augment.padding,
                              data.image_size, data.image_size, random);
  }
  return prepared(image, data);
}

}  // namespace

Image prepared(const Image& image, const DataConfig& data) {
  return centre_crop(resized_short_side(image, data.resize), data.image_size, data.image_size);
}

Image augmented(const Image& image, const DataConfig& data, SampleRandom& random) {
  const AugmentConfig& augment = data.augment;
  Image result = cropped(image, data, random);
  if (augment.flip && random.chance(0.5)) result = flipped(result);
  result = jittered(result, {augment.brightness, augment.contrast, augment.saturation, augment.hue},
                    random);
  if (augment.operations > 0) {
    result = rand_augmented(result, {augment.operations, augment.magnitude}, random);
  }
  return result;
}

}  // namespace lockstep
