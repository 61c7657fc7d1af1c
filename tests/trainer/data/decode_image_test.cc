// JPEG and PNG: the pixels that PIL reads, and one sentence for each kind of damage.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/trainer/data/pictures.h"
#include "trainer/data/image.h"
#include "trainer/errors.h"

namespace lockstep {
namespace {

using testing::bytes_of;
using testing::kPictures;

const char* const kNames[] = {"baseline_420.jpg",
                              "baseline_444.jpg",
                              "progressive_422.jpg",
                              "grey.jpg",
                              "cmyk.jpg",
                              "one_pixel.jpg",
                              "rgb.png",
                              "alpha.png",
                              "grey.png",
                              "grey_alpha.png",
                              "black_white.png",
                              "palette.png",
                              "palette_transparent.png",
                              "palette_2_bits.png",
                              "one_pixel.png",
                              "rgb_16_bits.png",
                              "rgb_interlaced.png",
                              "rgb_16_bits_interlaced.png",
                              "rgb_gamma.png",
                              "grey_16_bits.png"};

std::string fault_of(const Bytes& bytes, const DecodeLimits& limits = {}) {
  try {
    decode_image(bytes, limits);
  } catch (const BadData& fault) {
    return fault.what();
  }
  return "accepted";
}

class DecodeImageTest : public ::testing::TestWithParam<const char*> {};

TEST_P(DecodeImageTest, GivesThePixelsThatPilReads) {
  const Image image = decode_image(bytes_of(kPictures + GetParam()));
  EXPECT_EQ(testing::largest_difference(image, testing::golden_image(GetParam())), 0);
}

TEST_P(DecodeImageTest, RefusesTheFileCutAnywhere) {
  const Bytes whole = bytes_of(kPictures + GetParam());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string fault = fault_of({whole.begin(), whole.begin() + size});
    ASSERT_THAT(fault, ::testing::MatchesRegex("the image file is empty|neither a JPEG nor.*|"
                                               "damaged (JPEG|PNG): .*|the .* header says .*"))
        << size;
  }
}

TEST_P(DecodeImageTest, RefusesMorePixelsThanAllowed) {
  const Bytes bytes = bytes_of(kPictures + GetParam());
  const Image image = decode_image(bytes);
  const std::int64_t pixels = image.rows * image.columns;
  EXPECT_EQ(fault_of(bytes, {.pixels = pixels}), "accepted");
  EXPECT_THAT(fault_of(bytes, {.pixels = pixels - 1}),
              ::testing::HasSubstr(std::to_string(image.columns) + " x " +
                                   std::to_string(image.rows) + " pixels, more than the "));
}

INSTANTIATE_TEST_SUITE_P(Files, DecodeImageTest, ::testing::ValuesIn(kNames), [](const auto& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
});

Bytes with(Bytes bytes, std::size_t at, const Bytes& replacement) {
  std::copy(replacement.begin(), replacement.end(),
            bytes.begin() + static_cast<std::ptrdiff_t>(at));
  return bytes;
}

std::size_t find(const Bytes& bytes, const Bytes& wanted) {
  return static_cast<std::size_t>(std::ranges::search(bytes, wanted).begin() - bytes.begin());
}

TEST(DecodeImage, SaysWhatIsWrong) {
  const Bytes jpeg = bytes_of(kPictures + "baseline_420.jpg");
  const Bytes png = bytes_of(kPictures + "rgb.png");
  const std::size_t frame = find(jpeg, {0xff, 0xc0});  // marker, length 2, precision, rows, columns
  const struct {
    Bytes bytes;
    std::string message;
  } cases[] = {
      {{}, "the image file is empty"},
      {{'G', 'I', 'F', '8'}, "neither a JPEG nor a PNG image: it begins with other bytes"},
      {with(jpeg, frame + 5, {0xff, 0xdc, 0xff, 0xdc}),
       "the JPEG header says 65500 x 65500 pixels, more than the 67108864 allowed"},
      {with(jpeg, frame + 5, {0xff, 0xff, 0xff, 0xff}),
       "damaged JPEG: Maximum supported image dimension is 65500 pixels"},
      {with(jpeg, frame + 5, {0, 0, 0, 9}), "damaged JPEG: "},
      {with(jpeg, frame + 4, {12}), "damaged JPEG: Unsupported JPEG data precision 12"},
      {with(png, 16, {0, 0, 0, 0}), "damaged PNG: "},
      {with(png, 40, {0xaa, 0xbb, 0xcc}), "damaged PNG: "},
      {with(png, 29, {1, 2, 3, 4}), "damaged PNG: IHDR: CRC error"},
  };
  for (const auto& [bytes, message] : cases) {
    EXPECT_THAT(fault_of(bytes), ::testing::StartsWith(message));
  }
}

TEST(DecodeImage, TakesNoMemoryForAPngThatPromisesMoreThanItsBytesCanHold) {
  // IHDR with 8000 x 8000 pixels and its right checksum, then nothing.
  const Bytes header = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n', 0,    0, 0x00, 0x0d,
                        'I',  'H', 'D', 'R', 0,    0,    0x1f, 0x40, 0,    0, 0x1f, 0x40,
                        8,    2,   0,   0,   0,    0x89, 0x93, 0x3a, 0xa3, 0, 0,    0,
                        0,    'I', 'D', 'A', 'T',  0x35, 0xaf, 0x06, 0x1e};
  EXPECT_EQ(fault_of(header),
            "damaged PNG: the header says 8000 x 8000 pixels, too many for a file of 45 bytes");
}

}  // namespace
}  // namespace lockstep
