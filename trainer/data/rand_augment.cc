// One table says what each operation does and how strongly.
#include "trainer/data/rand_augment.h"

#include <cmath>
#include <stdexcept>
#include <string>

#include "trainer/data/colour.h"
#include "trainer/data/geometry.h"

namespace lockstep {
namespace {

constexpr int kStrongest = 30;

struct Operation {
  std::string_view name;
  bool has_two_directions;
  double (*strongest)(const Image&);  // the level at the greatest magnitude, from 0 at the least
  Image (*apply)(const Image&, double level);
};

double shear(const Image&) { return 0.3; }
double across(const Image& image) { return 150.0 / 331.0 * static_cast<double>(image.columns); }
double down(const Image& image) { return 150.0 / 331.0 * static_cast<double>(image.rows); }
double degrees(const Image&) { return 30; }
double factor(const Image&) { return 0.9; }
double bits(const Image&) { return 4; }
double threshold(const Image&) { return 255; }
double nothing(const Image&) { return 0; }

// In the order of torchvision's table.
constexpr Operation kOperations[] = {
    {"Identity", false, nothing, [](const Image& image, double) { return image; }},
    {"ShearX", true, shear,
     [](const Image& image, double level) {
       return affine(image, {1, level, 0, 0, 1, 0});
     }},
    {"ShearY", true, shear,
     [](const Image& image, double level) {
       return affine(image, {1, 0, 0, level, 1, 0});
     }},
    {"TranslateX", true, across,
     [](const Image& image, double level) {
       return affine(image, {1, 0, -std::trunc(level), 0, 1, 0});
     }},
    {"TranslateY", true, down,
     [](const Image& image, double level) {
       return affine(image, {1, 0, 0, 0, 1, -std::trunc(level)});
     }},
    {"Rotate", true, degrees, rotated},
    {"Brightness", true, factor,
     [](const Image& image, double level) { return with_brightness(image, 1 + level); }},
    {"Color", true, factor,
     [](const Image& image, double level) { return with_saturation(image, 1 + level); }},
    {"Contrast", true, factor,
     [](const Image& image, double level) { return with_contrast(image, 1 + level); }},
    {"Sharpness", true, factor,
     [](const Image& image, double level) { return with_sharpness(image, 1 + level); }},
    {"Posterize", false, bits,
     [](const Image& image, double level) {
       return posterized(image, 8 - static_cast<int>(std::nearbyint(level)));
     }},
    {"Solarize", false, threshold,
     [](const Image& image, double level) { return solarized(image, 255 - level); }},
    {"AutoContrast", false, nothing,
     [](const Image& image, double) { return autocontrasted(image); }},
    {"Equalize", false, nothing, [](const Image& image, double) { return equalized(image); }},
};

const Operation& operation_named(std::string_view name) {
  for (const Operation& operation : kOperations) {
    if (operation.name == name) return operation;
  }
  throw std::out_of_range("no augmentation is called " + std::string(name));
}

}  // namespace

Image rand_augmented(const Image& image, const RandAugment& policy, SampleRandom& random) {
  if (policy.operations < 0 || policy.magnitude < 0 || policy.magnitude > kStrongest) {
    throw std::invalid_argument(
        "RandAugment takes 0 or more operations and a magnitude of 0 to 30");
  }
  Image result = image;
  for (int i = 0; i < policy.operations; ++i) {
    const Operation& operation = kOperations[random.below(std::ssize(kOperations))];
    double level = augmentation_level(operation.name, policy.magnitude, image);
    if (operation.has_two_directions && random.chance(0.5)) level = -level;
    result = operation.apply(result, level);
  }
  return result;
}

std::vector<std::string_view> augmentation_names() {
  std::vector<std::string_view> names;
  for (const Operation& operation : kOperations) names.push_back(operation.name);
  return names;
}

double augmentation_level(std::string_view name, int magnitude, const Image& image) {
  return operation_named(name).strongest(image) * magnitude / kStrongest;
}

Image augmented(const Image& image, std::string_view name, double level) {
  return operation_named(name).apply(image, level);
}

}  // namespace lockstep
