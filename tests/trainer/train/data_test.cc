// Sources of samples and the batches cut from them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <numeric>
#include <set>

#include "tests/support/temporary_directory.h"
#include "trainer/batches/image_set.h"
#include "trainer/batches/loader.h"
#include "trainer/batches/picture_set.h"
#include "trainer/batches/source.h"
#include "trainer/data/vocabulary.h"
#include "trainer/errors.h"
#include "trainer/torch.h"

namespace lockstep {
namespace {

using testing::TemporaryDirectory;

void write(const std::filesystem::path& file, const std::vector<std::uint8_t>& bytes) {
  testing::set_content(file, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

Config config_of(const TemporaryDirectory& folder, int classes = 0) {
  const SourceConfig source{
      .format = "idx", .path = folder.path(), .images = "images", .labels = "labels"};
  Config config;
  config.data.train = config.data.val = source;
  config.model.num_classes = classes;
  return config;
}

std::string refusal(const Config& config) {
  try {
    open_datasets(config, at::kCPU);
  } catch (const BadData& error) {
    return error.what();
  }
  return "";
}

// Two images of one pixel, with labels 4 and 3.
void write_pair(const TemporaryDirectory& folder) {
  write(folder / "images", {0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 1, 7, 9});
  write(folder / "labels", {0, 0, 8, 1, 0, 0, 0, 2, 4, 3});
}

TEST(Datasets, SayWhatIsMissing) {
  const TemporaryDirectory folder;
  Config config = config_of(folder);
  EXPECT_THAT(refusal(config), ::testing::HasSubstr("holds neither images nor images.gz"));
  config.data.train.path = "/no/such/place";
  EXPECT_THAT(refusal(config),
              ::testing::HasSubstr("data.train.path is \"/no/such/place\", which is no directory"));
}

TEST(Datasets, HaveAsManyClassesAsTheTrainingDataUnlessToldOtherwise) {
  const TemporaryDirectory folder;
  write_pair(folder);
  EXPECT_EQ(open_datasets(config_of(folder), at::kCPU).val->shape().classes, 5);
  EXPECT_EQ(open_datasets(config_of(folder, 7), at::kCPU).train->shape().classes, 7);
  EXPECT_THAT(refusal(config_of(folder, 4)),
              ::testing::HasSubstr("data.train holds label 4, but there are 4 classes"));
}

TEST(Datasets, OfOneRunHaveSamplesOfOneShape) {
  const TemporaryDirectory folder;
  write_pair(folder);
  Config config = config_of(folder, 10);
  config.data.val.format = "synthetic";
  EXPECT_THAT(refusal(config),
              ::testing::HasSubstr("samples of 1 x 28 x 28, but data.train of 1 x 1 x 1"));
}

// Every text holds a word of its own, so the vocabulary tells which texts it was built from.
TEST(Datasets, BuildVocabulariesFromTrainingTextsAlone) {
  const TemporaryDirectory folder;
  std::string lines;
  for (int i = 0; i < 200; ++i)
    lines += "ab"[i % 2] + std::string("\tword") + std::to_string(i) + "\n";
  testing::set_content(folder / "lines", lines);
  Config config;
  config.data.train = {.format = "lines", .path = folder / "lines"};
  config.data.val.format = "lines";
  config.data.holdout = 0.3;
  const Datasets data = open_datasets(config, at::kCPU);
  EXPECT_EQ(data.train->size() + data.val->size(), 200);
  EXPECT_GT(data.val->size(), 30);
  EXPECT_EQ(data.train->shape().vocabulary, Vocabulary::kFirst + data.train->size());
  EXPECT_EQ(data.val->shape().vocabulary, data.train->shape().vocabulary);
}

TEST(Datasets, ScaleTablesByTrainingRowsAlone) {
  const TemporaryDirectory folder;
  std::string rows;
  for (int i = 0; i < 100; ++i) rows += std::to_string(i * i) + "," + std::to_string(i % 3) + "\n";
  testing::set_content(folder / "table", rows);
  Config config;
  config.data.train = {.format = "csv", .path = folder / "table"};
  config.data.val.format = "csv";
  config.data.holdout = 0.3;
  const Datasets data = open_datasets(config, at::kCPU);
  std::vector<std::int64_t> all(static_cast<std::size_t>(data.train->size()));
  std::iota(all.begin(), all.end(), 0);
  const at::Tensor values = data.train->batch(all, std::nullopt).inputs;
  EXPECT_NEAR(values.mean().item<double>(), 0, 1e-6);
  EXPECT_NEAR(values.std(/*unbiased=*/false).item<double>(), 1, 1e-6);
}

TEST(Datasets, RefuseRecordFilesOfOtherNamesForValidation) {
  const TemporaryDirectory folder;
  for (const char* file : {"train/art", "train/law", "val/art", "val/zoo"}) {
    std::filesystem::create_directories((folder / file).parent_path());
    testing::set_content(folder / file, "one\n%\ntwo\n");
  }
  Config config;
  config.data.train = {.format = "records", .path = folder / "train"};
  config.data.val = {.format = "records", .path = folder / "val"};
  EXPECT_THAT(refusal(config), ::testing::HasSubstr("has files of other names than data.train"));
}

TEST(Datasets, SplitATextBetweenCharacters) {
  const TemporaryDirectory folder;
  std::string text;
  for (int i = 0; i < 100; ++i) text += "\u00e4";  // two bytes each
  testing::set_content(folder / "text", text + "x");
  Config config;
  config.data.train = {.format = "text", .path = folder / "text"};
  config.data.val.format = "text";
  config.data.unit = "character";
  config.data.context = 5;
  const Datasets data = open_datasets(config, at::kCPU);
  EXPECT_EQ(data.train->shape().vocabulary, Vocabulary::kFirst + 1);  // neither half a letter nor x
  const Batch batch = data.val->batch(std::vector<std::int64_t>{0}, std::nullopt);
  EXPECT_TRUE(batch.inputs.eq(Vocabulary::kFirst).all().item<bool>());
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
  const ImageSet images(
      {.rows = 1, .columns = 2, .pixels = {0, 255, 51, 102, 9, 9}, .labels = {3, 5, 1}}, 10,
      {{0.5}, {0.25}}, at::kCPU);
  const std::vector<std::int64_t> indices{1, 0};
  const Batch batch = images.batch(indices, std::nullopt);
  EXPECT_EQ(batch.inputs.sizes(), (std::vector<std::int64_t>{2, 1, 1, 2}));
  EXPECT_TRUE(
      at::allclose(batch.inputs.flatten(), torch::tensor({-1.2, -0.4, -2.0, 2.0}).to(at::kFloat)));
  EXPECT_TRUE(batch.targets.equal(torch::tensor({5, 3}, at::kLong)));
}

TEST(ImageSet, ScalesEachChannelByItsOwnNumbers) {
  const Images two{.channels = 2, .rows = 1, .columns = 1, .pixels = {255, 255}, .labels = {0}};
  const ImageSet images(two, 1, {{0.0, 0.5}, {0.5, 0.25}}, at::kCPU);
  const std::vector<std::int64_t> first{0};
  EXPECT_TRUE(at::allclose(images.batch(first, std::nullopt).inputs.flatten(),
                           torch::tensor({2.0, 2.0}).to(at::kFloat)));
  EXPECT_THROW(ImageSet(two, 1, {{0.1, 0.2, 0.3}, {1.0}}, at::kCPU), std::invalid_argument);
}

Image grey_picture(std::int64_t index) {
  if (index % 2 == 1) throw BadData(std::to_string(index) + ".png: damaged PNG");
  return Image(4, 4);
}

TEST(PictureSet, PassesOverDamagedPicturesAndSaysSo) {
  DataConfig config;
  config.image_size = config.resize = 4;
  config.max_damaged = 1;
  const PictureSet pictures(grey_picture, {7, 8, 9, 6}, 10, 0, config);
  const std::vector<std::int64_t> all{0, 1, 2};
  ::testing::internal::CaptureStdout();
  const Batch batch = pictures.batch(all, Variation{});
  EXPECT_EQ(::testing::internal::GetCapturedStdout(),
            "warning: skipped 1 damaged sample so far (data.max_damaged allows 1), last: 1.png: "
            "damaged PNG\n");
  EXPECT_TRUE(batch.targets.equal(torch::tensor({7, 9}, at::kLong)));
  EXPECT_EQ(batch.size(), 2);
  EXPECT_EQ(pictures.batch(all, Variation{1, 1}).size(), 2) << "the same one, an epoch later";
  const std::vector<std::int64_t> none_left{1}, one_more{2, 3};
  const Batch blank = pictures.batch(none_left, Variation{});
  EXPECT_EQ(blank.size(), 1);
  EXPECT_EQ(blank.ignored, 1);
  EXPECT_THROW(pictures.batch(one_more, Variation{}), BadData) << "one more than allowed";
  EXPECT_THROW(pictures.batch(all, std::nullopt), BadData) << "an evaluation passes over none";
}

// A set whose batches tell by which thread-independent road they came.
class Counting : public Dataset {
 public:
  explicit Counting(bool is_quick) : facts_{.size = 10}, is_quick_(is_quick) {}
  DataShape shape() const override { return {}; }
  const SampleFacts& facts() const override { return facts_; }
  std::uint32_t identity() const override { return 0; }
  Batch batch(std::span<const std::int64_t> indices,
              const std::optional<Variation>& variation) const override {
    const std::vector<std::int64_t> own(indices.begin(), indices.end());
    return {at::tensor(own), at::full({1}, variation->epoch, at::kLong), {}, 0};
  }
  bool is_quick() const override { return is_quick_; }

 private:
  SampleFacts facts_;
  bool is_quick_;
};

TEST(Loader, GivesEveryBatchOfEveryEpochWhateverMakesIt) {
  const Counting quick(true), slow(false);
  const Sampling sampling{.joins_tail = true, .seed = 3, .world_size = 2, .batch = 2};
  Loader plain(quick, sampling, 1, at::kCPU, {});
  Loader ahead(slow, sampling, 1, at::kCPU, {.threads = 3, .ahead = 2});
  EXPECT_EQ(plain.batches_in(7), 3);
  for (std::int64_t epoch = 0; epoch < 4; ++epoch) {
    const auto sampler = make_sampler(sampling, quick.facts(), epoch);
    for (std::int64_t position = 0; position < 3; ++position) {
      const Draw draw = sampler->draw(1, position);
      for (Loader* loader : {&plain, &ahead}) {
        const Batch batch = loader->at(epoch, position);
        EXPECT_TRUE(batch.inputs.equal(at::tensor(draw.indices)));
        EXPECT_EQ(batch.targets.item<std::int64_t>(), epoch);
        const Drawn drawn = sampler->drawn(position);
        EXPECT_EQ(loader->counted_at(epoch, position), drawn.samples - drawn.repeated);
        EXPECT_EQ(batch.ignored, draw.repeated);
      }
    }
  }
}

TEST(Loader, GoesWhereAResumedRunBegins) {
  const Counting slow(false);
  const Sampling sampling{.seed = 3, .batch = 3};
  Loader walked(slow, sampling, 0, at::kCPU, {.threads = 2});
  Loader resumed(slow, sampling, 0, at::kCPU, {.threads = 2});
  for (std::int64_t epoch = 0; epoch < 3; ++epoch) {
    for (std::int64_t position = 0; position < 4; ++position) {
      const Batch batch = walked.at(epoch, position);
      if (epoch < 2) continue;
      EXPECT_TRUE(resumed.at(epoch, position).inputs.equal(batch.inputs)) << position;
    }
  }
}

}  // namespace
}  // namespace lockstep
