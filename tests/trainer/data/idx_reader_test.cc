// idx files, plain and gzipped: what they hold, and one sentence for each way they can be wrong.
#include "trainer/data/idx_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <string>

#include "tests/support/temporary_directory.h"
#include "trainer/errors.h"

namespace lockstep {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::TemporaryDirectory;
using namespace std::string_literals;

const std::string kImages =
    "\0\0\x08\x03"s + "\0\0\0\x02"s + "\0\0\0\x01"s + "\0\0\0\x03"s + "abcdef";
const std::string kLabels = "\0\0\x08\x01"s + "\0\0\0\x02"s + "\x07\x09";

std::string gzipped(const std::string& content) {
  TemporaryDirectory directory;
  const std::string path = directory / "content.gz";
  const gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, content.data(), static_cast<unsigned>(content.size()));
  gzclose(file);
  return testing::content_of(path);
}

// The message that reading these contents ends in, without the directory.
std::string fault_of(const std::string& images, const std::string& labels) {
  TemporaryDirectory directory;
  testing::set_content(directory / "images", images);
  testing::set_content(directory / "labels", labels);
  try {
    read_idx_dataset(directory / "images", directory / "labels");
  } catch (const BadData& fault) {
    const std::string message = fault.what();
    EXPECT_TRUE(message.starts_with(directory.path().string() + "/")) << message;
    return message.substr(directory.path().string().size() + 1);
  }
  return "accepted";
}

TEST(IdxReader, ReadsPlainAndGzippedFilesAlike) {
  for (const bool zipped : {false, true}) {
    TemporaryDirectory directory;
    testing::set_content(directory / "images", zipped ? gzipped(kImages) : kImages);
    testing::set_content(directory / "labels", zipped ? gzipped(kLabels) : kLabels);
    const IdxDataset dataset = read_idx_dataset(directory / "images", directory / "labels");
    EXPECT_EQ(dataset.size(), 2);
    EXPECT_EQ(dataset.rows, 1);
    EXPECT_EQ(dataset.columns, 3);
    EXPECT_THAT(dataset.labels, ElementsAre(7, 9));
    EXPECT_THAT(std::vector(dataset.image(1).begin(), dataset.image(1).end()),
                ElementsAre('d', 'e', 'f'));
  }
}

TEST(IdxReader, SaysWhatIsWrong) {
  const std::string huge = "\0\0\x08\x03"s + std::string(12, '\xff');
  const std::string large = "\0\0\x08\x03"s + "\0\0\0\x02"s + "\0\0\x80\0"s + "\0\0\x80\0"s;
  std::string bad_sum = gzipped(kImages);
  bad_sum[bad_sum.size() - 6] ^= 1;
  const struct {
    std::string images, labels, message;
  } cases[] = {
      {"", kLabels, "images: ends within the magic number"},
      {"\0\0\x08"s, kLabels, "images: ends within the magic number"},
      {kLabels, kLabels,
       "images: magic number 0x00000801, expected 0x00000803 (unsigned bytes, 3 dimensions)"},
      {kImages, kImages,
       "labels: magic number 0x00000803, expected 0x00000801 (unsigned bytes, 1 dimension)"},
      {"\0\0\x0d\x03"s, kLabels, "images: magic number 0x00000d03, expected"},
      {"\x89PNG", kLabels, "images: magic number 0x89504e47, expected"},
      {kImages.substr(0, 13), kLabels, "images: ends within the dimensions"},
      {"\0\0\x08\x03\0\0\0\0"s, kLabels, "images: a dimension is 0"},
      {huge, "\0\0\x08\x01\xff\xff\xff\xff"s,
       "images: dimensions 4294967295 x 4294967295 x 4294967295 exceed 4 GiB"},
      {large, kLabels,
       "images: truncated: 0 bytes of values, expected 2147483648 (2 x 32768 x 32768)"},
      {kImages.substr(0, kImages.size() - 1), kLabels,
       "images: truncated: 5 bytes of values, expected 6 (2 x 1 x 3)"},
      {kImages + "g", kLabels, "images: has bytes after the 6 that its header announces"},
      {kImages, kLabels.substr(0, 9), "labels: truncated: 1 bytes of values, expected 2"},
      {kImages, "\0\0\x08\x01\0\0\0\x03"s + "abc",
       "labels: 3 labels, expected 2, one for each image of "},
      {gzipped(kImages).substr(0, 24), kLabels, "images: truncated: 0 bytes of values, expected 6"},
      {bad_sum, kLabels, "images: cannot read it: incorrect data check"},
  };
  for (const auto& [images, labels, message] : cases) {
    EXPECT_THAT(fault_of(images, labels), ::testing::StartsWith(message));
  }
}

TEST(IdxReader, NamesAMissingFileAndADirectory) {
  TemporaryDirectory directory;
  EXPECT_THAT([&] { read_idx_dataset(directory / "none", directory / "none"); },
              ::testing::ThrowsMessage<BadData>(HasSubstr("none: cannot open it: No such file")));
  EXPECT_THAT([&] { read_idx_dataset(directory.path(), directory.path()); },
              ::testing::ThrowsMessage<BadData>(HasSubstr("cannot read it: Is a directory")));
}

TEST(IdxReader, ReadsFashionMnist) {
  const std::string root = "/usr/share/datasets/fashion-mnist/";
  const IdxDataset train =
      read_idx_dataset(root + "train-images-idx3-ubyte.gz", root + "train-labels-idx1-ubyte.gz");
  EXPECT_EQ(train.size(), 60000);
  EXPECT_EQ(train.rows * train.columns, 28 * 28);
  // As published: ten balanced classes, pixels with mean 0.2860 of full scale.
  std::vector<int> per_class(10);
  for (const std::uint8_t label : train.labels) ++per_class.at(label);
  EXPECT_THAT(per_class, Each(6000));
  double sum = 0;
  for (const std::uint8_t pixel : train.images) sum += pixel;
  EXPECT_NEAR(sum / train.images.size() / 255, 0.2860, 0.00005);
}

TEST(IdxDataset, HasAnIdentityThatFollowsTheContents) {
  const IdxDataset one{.rows = 1, .columns = 2, .images = {1, 2, 3, 4}, .labels = {0, 1}};
  IdxDataset other = one;
  EXPECT_EQ(other.identity(), one.identity());
  other.images[3] = 5;
  EXPECT_NE(other.identity(), one.identity());
  other = one;
  other.labels = {1, 0};
  EXPECT_NE(other.identity(), one.identity());
  other = one;
  std::swap(other.rows, other.columns);
  EXPECT_NE(other.identity(), one.identity());
}

}  // namespace
}  // namespace lockstep
