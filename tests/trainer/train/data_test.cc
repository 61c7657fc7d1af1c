// Sources of samples and the batches cut from them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "tests/support/temporary_directory.h"
#include "trainer/data/source.h"
#include "trainer/data/torch_images.h"
#include "trainer/errors.h"
#include "trainer/torch.h"

namespace lockstep {
namespace {

using testing::TemporaryDirectory;

void write(const std::filesystem::path& file, const std::vector<std::uint8_t>& bytes) {
  testing::set_content(file, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

SourceConfig source_in(const TemporaryDirectory& folder) {
  return {.path = folder.path(), .images = "images", .labels = "labels"};
}

std::string refusal(const SourceConfig& source, int classes = 10) {
  try {
    load_source("data.train", source, classes, 1);
  } catch (const BadData& error) {
    return error.what();
  }
  return "";
}

TEST(Source, SaysWhatIsMissing) {
  const TemporaryDirectory folder;
  SourceConfig source = source_in(folder);
  EXPECT_THAT(refusal(source), ::testing::HasSubstr("holds neither images nor images.gz"));
  source.path = "/no/such/place";
  EXPECT_THAT(refusal(source),
              ::testing::HasSubstr("data.train.path is \"/no/such/place\", which is no directory"));
}

TEST(Source, RefusesLabelsThatTheModelDoesNotKnow) {
  const TemporaryDirectory folder;
  write(folder / "images", {0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 1, 7, 9});
  write(folder / "labels", {0, 0, 8, 1, 0, 0, 0, 2, 4, 3});
  EXPECT_EQ(load_source("data.train", source_in(folder), 5, 1).size(), 2);
  EXPECT_THAT(refusal(source_in(folder), 4),
              ::testing::HasSubstr("holds label 4, but model.num_classes is 4"));
}

TEST(SyntheticDataset, IsAFunctionOfItsSeed) {
  EXPECT_EQ(synthetic_dataset(50, 10, 1).identity(), synthetic_dataset(50, 10, 1).identity());
  EXPECT_NE(synthetic_dataset(50, 10, 1).identity(), synthetic_dataset(50, 10, 2).identity());
}

TEST(SyntheticDataset, ShowsEveryClass) {
  const IdxDataset set = synthetic_dataset(500, 7, 3);
  EXPECT_EQ(set.images.size(), 500u * 28 * 28);
  EXPECT_EQ(std::set<int>(set.labels.begin(), set.labels.end()).size(), 7u);
}

TEST(ImageSet, ScalesPixelsAndKeepsTheOrderAskedFor) {
  IdxDataset set{.rows = 1, .columns = 2, .images = {0, 255, 51, 102, 9, 9}, .labels = {3, 5, 1}};
  const ImageSet images(std::move(set), 0.5, 0.25, at::kCPU);
  const Batch batch = images.gather({1, 0});
  EXPECT_EQ(batch.images.sizes(), (std::vector<std::int64_t>{2, 1, 1, 2}));
  EXPECT_TRUE(
      at::allclose(batch.images.flatten(), torch::tensor({-1.2, -0.4, -2.0, 2.0}).to(at::kFloat)));
  EXPECT_TRUE(batch.labels.equal(torch::tensor({5, 3}, at::kLong)));
  EXPECT_TRUE(images.range(1, 3).labels.equal(torch::tensor({5, 1}, at::kLong)));
}

}  // namespace
}  // namespace lockstep
