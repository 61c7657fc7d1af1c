// Changes of colour, to the bit as PIL's ImageEnhance and ImageOps and torchvision make them.
#pragma once

#include <cstdint>

#include "trainer/data/image.h"
#include "trainer/data/sample_random.h"

namespace lockstep {

// Each mixes the picture with another: factor 0 gives that, 1 the picture, more exaggerates.
Image with_brightness(const Image& image, double factor);  // black
Image with_contrast(const Image& image, double factor);    // its mean grey
Image with_saturation(const Image& image, double factor);  // its grey picture
Image with_sharpness(const Image& image, double factor);   // a smoothed one; its border stays

// Hue turned by `turn` in [-0.5, 0.5] of the colour circle.
Image with_hue(const Image& image, double turn);

Image posterized(const Image& image, int bits);         // the upper `bits` of 8 stay
Image solarized(const Image& image, double threshold);  // values from it on are inverted
Image autocontrasted(const Image& image);               // each channel stretched to 0..255
Image equalized(const Image& image);                    // each channel's histogram made even

// torchvision's ColorJitter: factors from [max(0, 1 - x), 1 + x], a turn from [-hue, hue], applied
// in random order; what is 0 is left out.
struct ColourJitter {
  double brightness = 0, contrast = 0, saturation = 0, hue = 0;
};
Image jittered(const Image& image, const ColourJitter& jitter, SampleRandom& random);

}  // namespace lockstep
