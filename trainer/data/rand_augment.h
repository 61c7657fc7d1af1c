// RandAugment (Cubuk, Zoph, Shlens, Le: RandAugment, 2019) with the operations, ranges and defaults
// of torchvision's.
#pragma once

#include <string_view>
#include <vector>

#include "trainer/data/image.h"
#include "trainer/data/sample_random.h"

namespace lockstep {

struct RandAugment {
  int operations = 2;
  int magnitude = 9;  // in [0, 30]
};

// So many operations one after another, each drawn anew from all, those with two directions in
// either. Throws invalid_argument for a magnitude outside its range or operations below 0.
Image rand_augmented(const Image& image, const RandAugment& policy, SampleRandom& random);

// What may be drawn; how strong each is at a magnitude, in its own unit (shear, pixels, degrees, a
// factor's distance from 1, bits taken away, a threshold's distance from 255), from 0 in even
// steps; and one applied. Both throw out_of_range for another name.
std::vector<std::string_view> augmentation_names();
double augmentation_level(std::string_view name, int magnitude, const Image& image);
Image augmented(const Image& image, std::string_view name, double level);

}  // namespace lockstep
