// The two forms of a benchmark's figures.
#include "trainer/bench_figures.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace lockstep {
namespace {

const BenchFigures kFigures{.what = "lenet on cpu, made-up data",
                            .ranks = 2,
                            .batch_size = 128,
                            .steps = 50,
                            .samples_per_second = 5120,
                            .first_step = 0.25,
                            .median = 0.0245,
                            .p95 = 0.03125,
                            .data_wait = 0.0005,
                            .forward = 0.008,
                            .backward = 0.0125,
                            .optimizer = 0.001,
                            .rest = 0.0005,
                            .comm_wait = 0.0025,
                            .flops_per_sample = 833040,
                            .mfu = 0.4125,
                            .memory = 300 * 1048576.0};

TEST(BenchFigures, AreATable) {
  EXPECT_EQ(table_of(kFigures),
            "lenet on cpu, made-up data: batch 128, 2 x 64\n"
            "first step 250.0 ms; then 50 steps: 24.50 ms median, 31.25 ms p95\n"
            "5120.0 samples/s, 2560.0 of each rank\n"
            "\n"
            "                      ms a step    share\n"
            "data wait                  0.50     2.0%\n"
            "forward                    8.00    32.0%\n"
            "backward                  12.50    50.0%\n"
            "comm wait                  2.50    10.0%\n"
            "optimizer                  1.00     4.0%\n"
            "rest                       0.50     2.0%\n"
            "all                       25.00   100.0%\n"
            "\n"
            "0.83 MFLOP in a sample's forward pass, MFU 41.2%, memory 300 MiB");
}

TEST(BenchFigures, SayWhereAWaitIsThatCannotBeToldApart) {
  BenchFigures figures = kFigures;
  figures.comm_wait.reset();
  figures.flops_per_sample.reset();
  figures.mfu.reset();
  const std::string table = table_of(figures);
  EXPECT_NE(table.find("\nbackward, comm wait       12.50 "), std::string::npos) << table;
  EXPECT_EQ(table.find("\ncomm wait"), std::string::npos) << table;
  EXPECT_TRUE(table.ends_with("\n\nmemory 300 MiB")) << table;
}

TEST(BenchFigures, AreOneJsonObject) {
  const std::string text = json_of(kFigures);
  EXPECT_EQ(text.find('\n'), std::string::npos);
  const auto json = nlohmann::json::parse(text);
  EXPECT_EQ(json["samples_per_second"], 5120);
  EXPECT_EQ(json["samples_per_second_per_rank"], 2560);
  EXPECT_EQ(json["step_seconds_p95"], 0.03125);
  EXPECT_EQ(json["comm_wait_seconds"], 0.0025);
  EXPECT_EQ(json["mfu"], 0.4125);
  BenchFigures unknown = kFigures;
  unknown.mfu.reset();
  EXPECT_FALSE(nlohmann::json::parse(json_of(unknown)).contains("mfu"));
}

}  // namespace
}  // namespace lockstep
