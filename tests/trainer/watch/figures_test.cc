// Lines and tags of docs/metrics.md.
#include "trainer/watch/figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;

const TrainFigures kAllFigures{.step = 120,
                               .epoch = 2,
                               .loss = 0.1,
                               .learning_rate = 0.05,
                               .grad_norm = 1.5,
                               .accuracy = 0.75,
                               .top5 = 1,
                               .batch_size = 128,
                               .samples_per_second = 5123.5,
                               .data_wait = 0.25,
                               .comm_wait = 0.125,
                               .mfu = 0.5,
                               .memory = 1073741824,
                               .loss_scale = 65536};

TEST(MetricsLine, TellsEveryFigureUnderItsName) {
  EXPECT_EQ(line_of(kAllFigures, 1700000000.25),
            R"({"kind":"train","step":120,"time":1700000000.25,"epoch":2,"loss":0.1,"lr":0.05,)"
            R"("grad_norm":1.5,"accuracy":0.75,"top5":1.0,"batch_size":128,)"
            R"("samples_per_second":5123.5,"data_wait":0.25,"comm_wait":0.125,"mfu":0.5,)"
            R"("memory":1073741824.0,"loss_scale":65536.0})"
            "\n");
  EXPECT_EQ(line_of(ValFigures{.step = 938,
                               .epoch = 1,
                               .loss = 0.5,
                               .accuracy = 0.875,
                               .top5 = 0.9921875,
                               .seconds = 1.5},
                    2),
            R"({"kind":"val","step":938,"time":2.0,"epoch":1,"loss":0.5,"accuracy":0.875,)"
            R"("top5":0.9921875,"seconds":1.5})"
            "\n");
  EXPECT_EQ(line_of(StartFigures{.step = 5,
                                 .steps = 100,
                                 .epochs = 2,
                                 .batch_size = 64,
                                 .ranks = 4,
                                 .attempt = 3,
                                 .config_hash = "0123456789abcdef"},
                    2),
            R"({"kind":"start","step":5,"time":2.0,"steps":100,"epochs":2,"batch_size":64,)"
            R"("ranks":4,"attempt":3,"config_hash":"0123456789abcdef"})"
            "\n");
}

TEST(MetricsLine, LeavesOutWhatIsUnknownOrNoNumber) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(
      line_of(TrainFigures{.step = 1, .epoch = 1, .loss = std::nan(""), .grad_norm = infinity}, 1),
      R"({"kind":"train","step":1,"time":1.0,"epoch":1,"lr":0.0})"
      "\n");
}

TEST(MetricsLine, KeepsEveryBitOfALoss) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) {
    const double loss = std::ldexp(std::generate_canonical<double, 53>(random), i % 200 - 100);
    const std::string line = line_of(TrainFigures{.step = i, .loss = loss}, 0.1);
    EXPECT_EQ(nlohmann::json::parse(line)["loss"].get<double>(), loss) << line;
    EXPECT_THAT(line, EndsWith("}\n"));
  }
}

std::vector<std::pair<std::string, float>> pairs_of(const std::vector<Scalar>& scalars) {
  std::vector<std::pair<std::string, float>> pairs;
  for (const Scalar& scalar : scalars) pairs.emplace_back(scalar.tag, scalar.value);
  return pairs;
}

TEST(TensorBoardScalars, HaveTheTagsAndPercentagesOfGluonCv) {
  using Pair = std::pair<std::string, float>;
  EXPECT_THAT(pairs_of(scalars_of(kAllFigures)),
              ElementsAre(Pair("train_loss_iteration", 0.1F), Pair("train_top1_acc_iteration", 75),
                          Pair("train_top5_acc_iteration", 100),
                          Pair("train_batch_size_iteration", 128), Pair("learning_rate", 0.05F),
                          Pair("grad_norm", 1.5), Pair("samples_per_second", 5123.5),
                          Pair("data_wait", 0.25), Pair("comm_wait", 0.125), Pair("mfu", 0.5),
                          Pair("memory", 1073741824), Pair("loss_scale", 65536)));
  EXPECT_THAT(pairs_of(scalars_of(ValFigures{.loss = 0.5, .accuracy = 0.875, .top5 = 1})),
              ElementsAre(Pair("val_loss_epoch", 0.5F), Pair("val_top1_acc_epoch", 87.5F),
                          Pair("val_top5_acc_epoch", 100)));
  EXPECT_THAT(pairs_of(scalars_of(ValFigures{.loss = std::nan("")})), ElementsAre());
}

}  // namespace
}  // namespace lockstep
