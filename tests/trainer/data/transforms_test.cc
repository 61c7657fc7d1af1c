// Each transform against PIL and torchvision, to the bit; the drawn ones with the same draws.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <stdexcept>

#include "tests/trainer/data/golden.h"
#include "tests/trainer/data/pictures.h"
#include "trainer/data/colour.h"
#include "trainer/data/geometry.h"
#include "trainer/data/normalise.h"
#include "trainer/data/rand_augment.h"

namespace lockstep {
namespace {

using nlohmann::json;

const Image& picture(const std::string& name) {
  static std::map<std::string, Image> images;
  if (!images.contains(name)) {
    images[name] = decode_image(testing::bytes_of(testing::kPictures + name));
  }
  return images.at(name);
}

const json& goldens(const char* part) {
  static const json all = testing::golden_cases("transforms.json");
  return all.at(part);
}

template <typename Value>
std::uint32_t crc_of(const std::vector<Value>& values) {
  const auto* bytes = reinterpret_cast<const Bytef*>(values.data());
  return static_cast<std::uint32_t>(crc32_z(0, bytes, values.size() * sizeof values[0]));
}

void expect_golden_image(const json& golden, const Image& image) {
  EXPECT_EQ(image.rows, golden["rows"].get<std::int64_t>()) << golden;
  EXPECT_EQ(image.columns, golden["columns"].get<std::int64_t>()) << golden;
  EXPECT_EQ(crc_of(image.pixels), golden["crc32"].get<std::uint32_t>()) << golden;
}

SampleRandom random_for(const json& golden) { return {1, 2, golden["index"]}; }

TEST(Transforms, ResizeAsPilDoes) {
  for (const json& golden : goldens("resize")) {
    const std::vector<std::int64_t> crop = golden["crop"];
    expect_golden_image(golden,
                        resized(picture(golden["image"]), {crop[0], crop[1], crop[2], crop[3]},
                                golden["rows"], golden["columns"]));
  }
}

TEST(Transforms, CropFlipAndRotateAsTorchvisionDoes) {
  const std::map<std::string, Image (*)(const Image&, const json&)> transforms = {
      {"short_side",
       [](const Image& image, const json& size) { return resized_short_side(image, size); }},
      {"centre",
       [](const Image& image, const json& size) { return centre_crop(image, size[0], size[1]); }},
      {"flip", [](const Image& image, const json&) { return flipped(image); }},
      {"rotate", [](const Image& image, const json& degrees) { return rotated(image, degrees); }},
  };
  for (const json& golden : goldens("geometry")) {
    const auto transform = transforms.at(golden["does"]);
    expect_golden_image(golden, transform(picture(golden["image"]), golden.value("with", json())));
  }
}

TEST(Transforms, ChangeColoursAsPilDoes) {
  const std::map<std::string, Image (*)(const Image&, double)> changes = {
      {"brightness", with_brightness},
      {"contrast", with_contrast},
      {"saturation", with_saturation},
      {"sharpness", with_sharpness},
      {"hue", with_hue},
      {"posterize",
       [](const Image& image, double bits) { return posterized(image, static_cast<int>(bits)); }},
      {"solarize", solarized},
      {"autocontrast", [](const Image& image, double) { return autocontrasted(image); }},
      {"equalize", [](const Image& image, double) { return equalized(image); }},
  };
  for (const json& golden : goldens("colour")) {
    const auto change = changes.at(golden["does"]);
    expect_golden_image(golden, change(picture(golden["image"]), golden.value("with", 0.0)));
  }
}

TEST(Transforms, AugmentAsTorchvisionsTableSays) {
  std::set<std::string_view> tested;
  const std::vector<std::string_view> names = augmentation_names();
  for (const json& golden : goldens("augment")) {
    const Image& image = picture(golden["image"]);
    const auto name = golden["operation"].get<std::string>();
    const double level =
        golden["sign"].get<int>() * augmentation_level(name, golden["magnitude"], image);
    expect_golden_image(golden, augmented(image, name, level));
    tested.insert(*std::find(names.begin(), names.end(), name));
  }
  EXPECT_EQ(tested, std::set<std::string_view>(names.begin(), names.end()));
}

TEST(Transforms, DrawTheCropsThatTorchvisionDraws) {
  for (const json& golden : goldens("drawn")) {
    SampleRandom random = random_for(golden);
    const CropBounds bounds{golden["scale"][0], golden["scale"][1], golden["ratio"][0],
                            golden["ratio"][1]};
    const Crop crop = random_crop_within(golden["size"][0], golden["size"][1], bounds, random);
    const std::vector<std::int64_t> expected = golden["crop"];
    EXPECT_EQ(crop, (Crop{expected[0], expected[1], expected[2], expected[3]})) << golden;
  }
}

TEST(Transforms, DrawTheCropsOfAPaddedPictureThatTorchvisionDraws) {
  for (const json& golden : goldens("padded")) {
    SampleRandom random = random_for(golden);
    expect_golden_image(golden, random_padded_crop(picture(golden["image"]), 4, 28, 30, random));
  }
}

TEST(Transforms, EraseTheRectangleThatTorchvisionErases) {
  for (const json& golden : goldens("erased")) {
    SampleRandom random = random_for(golden);
    const std::int64_t rows = golden["size"][0], columns = golden["size"][1];
    std::vector<float> planes(3 * rows * columns, 1);
    erase_at_random(planes, rows, columns, 1.0, random);
    EXPECT_EQ(crc_of(planes), golden["crc32"].get<std::uint32_t>()) << golden;
  }
}

TEST(Transforms, NormaliseAsTorchvisionDoes) {
  for (const json& golden : goldens("normalise")) {
    const Image& image = picture(golden["image"]);
    std::vector<float> planes(image.pixels.size());
    Normaliser({golden["mean"], golden["std"]}).write_planes(image, planes);
    EXPECT_EQ(crc_of(planes), golden["crc32"].get<std::uint32_t>()) << golden;
  }
}

TEST(Transforms, JitterInEachOrderWithinTheirBounds) {
  const Image& image = picture("rgb.png");
  std::set<std::uint32_t> seen;
  for (std::int64_t index = 0; index < 40; ++index) {
    SampleRandom random(1, 2, index), again(1, 2, index), next(1, 2, index), plain(1, 2, index);
    const ColourJitter jitter{.brightness = 0.4, .contrast = 0.4, .saturation = 0.4, .hue = 0.1};
    const Image result = jittered(image, jitter, random);
    EXPECT_EQ(jittered(image, jitter, again), result);
    seen.insert(crc_of(result.pixels));
    EXPECT_EQ(jittered(image, {}, plain), image);
    EXPECT_EQ(jittered(image, {.brightness = 0.4}, next),
              with_brightness(image, SampleRandom(1, 2, index).uniform(0.6, 1.4)));
  }
  EXPECT_EQ(seen.size(), 40u);
}

TEST(Transforms, JitterAppliesTwoChangesInEitherOrder) {
  const Image& image = picture("rgb.png");
  int first = 0;
  for (std::int64_t index = 0; index < 400; ++index) {
    SampleRandom random(3, 4, index), draws(3, 4, index);
    const double contrast = draws.uniform(0.5, 1.5), saturation = draws.uniform(0.5, 1.5);
    const Image result = jittered(image, {.contrast = 0.5, .saturation = 0.5}, random);
    const Image one = with_saturation(with_contrast(image, contrast), saturation);
    const Image other = with_contrast(with_saturation(image, saturation), contrast);
    ASSERT_TRUE(result == one || result == other);
    first += result == one;
  }
  EXPECT_NEAR(first, 200, 60);
}

TEST(Transforms, RandAugmentDrawsAllOperationsEvenlyInBothDirections) {
  const Image& image = picture("rgb.png");
  std::map<std::uint32_t, int> counts;
  for (std::int64_t index = 0; index < 2800; ++index) {
    SampleRandom random(1, 2, index);
    ++counts[crc_of(rand_augmented(image, {.operations = 1, .magnitude = 17}, random).pixels)];
  }
  std::map<std::uint32_t, double> expected;  // each of 14 operations; half for each direction
  for (const json& golden : goldens("augment")) {
    if (golden["image"] != "rgb.png" || golden["magnitude"] != 17) continue;
    const bool has_two =
        golden["operation"].get<std::string>().starts_with("Shear") ||
        golden["operation"].get<std::string>().starts_with("Translate") ||
        std::set<std::string>{"Rotate", "Brightness", "Color", "Contrast", "Sharpness"}.contains(
            golden["operation"].get<std::string>());
    expected[golden["crc32"]] += has_two ? 100 : 200;
  }
  for (const auto& [crc, count] : counts)
    EXPECT_NEAR(count, expected[crc], 6 * std::sqrt(expected[crc]));
  EXPECT_EQ(counts.size(), expected.size());
  SampleRandom random(1);
  EXPECT_EQ(rand_augmented(image, {.operations = 0}, random), image);
}

TEST(Transforms, RefuseWhatCannotBe) {
  const Image& image = picture("rgb.png");
  SampleRandom random(1);
  std::vector<float> small(3);
  EXPECT_THROW(resized(image, 0, 1), std::invalid_argument);
  EXPECT_THROW(resized(image, {1, 0, 29, 43}, 5, 5), std::invalid_argument);
  EXPECT_THROW(random_crop_within(9, 9, {.least_area = 0}, random), std::invalid_argument);
  EXPECT_THROW(random_crop_within(9, 9, {.least_ratio = 2, .most_ratio = 1}, random),
               std::invalid_argument);
  EXPECT_THROW(random_padded_crop(image, 1, 32, 9, random), std::invalid_argument);
  EXPECT_THROW(rand_augmented(image, {.magnitude = 31}, random), std::invalid_argument);
  EXPECT_THROW(augmentation_level("Blur", 1, image), std::out_of_range);
  EXPECT_THROW(Normaliser({.std = {1, 0, 1}}), std::invalid_argument);
  EXPECT_THROW(Normaliser({}).write_planes(image, small), std::invalid_argument);
}

}  // namespace
}  // namespace lockstep
