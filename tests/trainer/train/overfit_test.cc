// The first batches of a data set in place of it.
#include "trainer/overfit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "trainer/torch.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;

Config config_of(int samples, int batch_size, int batches) {
  Config config;
  config.data.train = {.format = "synthetic", .samples = samples};
  config.data.val = {.format = "synthetic", .samples = 7};
  config.train.batch_size = batch_size;
  config.train.overfit_batches = batches;
  return config;
}

Datasets cut(const Config& config) {
  return first_batches(open_datasets(config, at::kCPU), config);
}

at::Tensor all_of(const Dataset& data) {
  std::vector<std::int64_t> indices(static_cast<std::size_t>(data.size()));
  std::iota(indices.begin(), indices.end(), 0);
  return data.batch(indices, std::nullopt).inputs;
}

TEST(FirstBatches, AreAllOfTheDataUnlessAskedFor) {
  const Datasets data = cut(config_of(100, 8, 0));
  EXPECT_EQ(data.train->size(), 100);
  EXPECT_EQ(data.val->size(), 7);
}

TEST(FirstBatches, ComeAgainAndAgainAndAreEvaluatedOnce) {
  struct Case {
    int samples, batch_size, batches;
    std::int64_t kept, rounds;
  };
  for (const Case& each : {Case{100, 8, 2, 16, 6}, Case{100, 8, 1, 8, 12}, Case{100, 60, 2, 100, 1},
                           Case{1000, 2, 1, 2, 100}}) {
    const Config config = config_of(each.samples, each.batch_size, each.batches);
    const Datasets whole = open_datasets(config, at::kCPU), part = cut(config);
    EXPECT_EQ(part.val->size(), each.kept);
    EXPECT_EQ(part.train->size(), each.kept * each.rounds);
    const at::Tensor first = all_of(*whole.train).narrow(0, 0, each.kept);
    EXPECT_TRUE(at::equal(all_of(*part.val), first));
    EXPECT_TRUE(at::equal(all_of(*part.train), first.repeat({each.rounds, 1, 1, 1})));
  }
}

TEST(OverfitVerdict, SaysPlainlyWhetherTheLossFell) {
  EXPECT_EQ(
      overfit_verdict(128, {.loss = 2.3026}, {.loss = 0.0031, .accuracy = 1}),
      "overfit: the loss on 128 samples fell from 2.3026 to 0.0031, the accuracy is 1.0000: the "
      "model can learn");
  EXPECT_THAT(
      overfit_verdict(128, {.loss = 2}, {.loss = 1}),
      HasSubstr(
          "fell from 2.0000 to 1.0000, the accuracy is 0.0000: the model learns, but slowly"));
  EXPECT_THAT(overfit_verdict(128, {.loss = 2}, {.loss = 1.95}), HasSubstr("does not learn"));
  EXPECT_THAT(
      overfit_verdict(128, {.loss = 2}, {.loss = 3}),
      HasSubstr("went from 2.0000 to 3.0000, the accuracy is 0.0000: the model does not learn"));
}

}  // namespace
}  // namespace lockstep
