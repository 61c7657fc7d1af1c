// Before a long run: dry run, overfit, bench and traces, as whole programs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/trainer/distributed/training.h"

namespace lockstep::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

class Rehearsal : public Training {
 protected:
  std::vector<std::string> with(std::vector<std::string> command, const std::string& flag) const {
    command.push_back(flag);
    return command;
  }

  std::vector<std::string> bench(const Settings& more = {}) const {
    std::vector<std::string> words = command("none", more);
    words[1] = "bench";
    words.insert(words.end(), {"--steps", "20", "--warmup", "2", "--json"});
    return words;
  }

  std::map<std::string, std::string> files() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path())) {
      files[entry.path().string()] = entry.is_directory() ? "" : content_of(entry.path());
    }
    return files;
  }

  static nlohmann::json last_line(const std::string& output) {
    const std::string text = output.substr(0, output.size() - 1);
    return nlohmann::json::parse(text.substr(text.rfind('\n') + 1));
  }
};

TEST_F(Rehearsal, ADryRunTellsWhatARunWillBeAndKeepsNothing) {
  const auto exits = run_ranks(with(command("new"), "--dry-run"), 2);
  ASSERT_EQ(exits[0].code, 0) << exits[0].output;
  EXPECT_EQ(exits[1].code, 0) << exits[1].output;
  EXPECT_EQ(exits[1].output, "");
  EXPECT_THAT(exits[0].output,
              HasSubstr("steps: 80 in 2 epochs, 40 in the first; batch 24, of a rank 12\n"));
  EXPECT_NE(
      first_match(exits[0].output, "(checkpoint: [0-9.]+ KiB, saved in [0-9.]+ ms and removed)"),
      "")
      << exits[0].output;
  EXPECT_TRUE(files().empty());
}

TEST_F(Rehearsal, ADryRunGoesOnFromACheckpointAndLeavesItAlone) {
  finish("done", 1, {"train.max_steps=12"});
  const auto before = files();
  const Exit exit = run_ranks(with(command("done"), "--dry-run"), 1).front();
  EXPECT_EQ(exit.code, 0) << exit.output;
  EXPECT_THAT(exit.output, HasSubstr("a run goes on from step 12\n"));
  EXPECT_EQ(files(), before);
}

TEST_F(Rehearsal, ADryRunEndsAsARunWould) {
  finish("done", 1, {"train.max_steps=12"});
  const auto before = files();
  const auto code = [&](const std::string& checkpoints, const Settings& settings) {
    return run_ranks(with(command(checkpoints, settings), "--dry-run"), 1).front().code;
  };
  EXPECT_EQ(code("done", {"train.batch_size=48"}), 64) << "the checkpoint is of another batch size";
  EXPECT_EQ(code("x", {"data.train.format=idx", "data.val.format=idx", "data.train.path=/nowhere"}),
            65);
  EXPECT_EQ(code("x", {"checkpoint.directory=/proc/none"}), 74);
  EXPECT_EQ(files(), before);
}

TEST_F(Rehearsal, OverfittingSaysThatAModelCanLearn) {
  const Exit exit = run_ranks(command("x", {"train.overfit_batches=1"}), 2).front();
  EXPECT_EQ(exit.code, 0) << exit.output;
  EXPECT_THAT(exit.output, HasSubstr("overfit: the loss on 24 samples fell from 2."));
  EXPECT_THAT(exit.output, HasSubstr(": the model can learn\n"));
}

TEST_F(Rehearsal, OverfittingSaysThatAModelDoesNotLearn) {
  const Exit exit = run_ranks(command("x", {"train.overfit_batches=1", "optim.lr=0"}), 1).front();
  EXPECT_EQ(exit.code, 0) << exit.output;
  EXPECT_THAT(exit.output, HasSubstr(": the model does not learn: "));
}

TEST_F(Rehearsal, ABenchAccountsForAllOfTheTime) {
  for (const int ranks : {1, 2}) {
    const auto exits = run_ranks(bench({"log.peak_tflops=0.1"}), ranks);
    for (const Exit& exit : exits) ASSERT_EQ(exit.code, 0) << exit.output;
    const nlohmann::json told = last_line(exits[0].output);
    std::printf("%s\n", told.dump().c_str());
    EXPECT_EQ(told["ranks"], ranks);
    double sum = 0;
    for (const char* part :
         {"data_wait", "forward", "backward", "comm_wait", "optimizer", "rest"}) {
      const double seconds = told[std::string(part) + "_seconds"];
      EXPECT_GE(seconds, 0) << part;
      sum += seconds;
    }
    EXPECT_NEAR(told["samples_per_second"].get<double>() * sum, 24, 24 * 0.1);
    EXPECT_GT(told["mfu"], 0);
    EXPECT_GE(told["step_seconds_p95"], told["step_seconds_median"]);
    EXPECT_GT(told["forward_flops_per_sample"], 800e3);
  }
  EXPECT_TRUE(files().empty()) << "no checkpoints";
}

TEST_F(Rehearsal, ABenchMakesUpDataOfEveryFormatButTables) {
  const std::vector<std::pair<std::string, std::string>> formats{
      {"idx", "lenet"},     {"cifar10", "lenet"},
      {"folder", "mlp"},    {"lines", "text-classifier"},
      {"text", "char-gpt"}, {"tokens16", "char-gpt"}};
  for (const auto& [format, model] : formats) {
    const Settings settings{"data.train.format=" + format,
                            "data.val.format=" + format,
                            "model.name=" + model,
                            "model.width=16",
                            "data.longest=20",
                            "data.context=12",
                            "data.vocabulary=50"};
    const Exit exit = run_ranks(bench(settings), 1).front();
    ASSERT_EQ(exit.code, 0) << format << exit.output;
    EXPECT_GT(last_line(exit.output)["samples_per_second"], 0) << format;
  }
  const Exit exit =
      run_ranks(bench({"data.train.format=csv", "data.val.format=csv", "model.name=mlp"}), 1)
          .front();
  EXPECT_EQ(exit.code, 64);
  EXPECT_THAT(exit.output, HasSubstr("use --data"));
}

TEST_F(Rehearsal, ATraceHoldsTheStepsThatWereAskedFor) {
  finish("x", 2, {"log.profile_at=10", "log.profile_steps=3", "train.max_steps=20"});
  for (const int rank : {0, 1}) {
    const fs::path file =
        folder_ / "x/logs/metrics" / ("trace-rank-" + std::to_string(rank) + ".json");
    std::set<std::string> names;
    const auto trace = nlohmann::json::parse(content_of(file));
    for (const auto& event : trace["traceEvents"]) names.insert(event.value("name", ""));
    for (const char* name : {"step 10", "step 12", "data", "forward", "backward", "optimizer",
                             "buffers", "aten::addmm", "aten::conv2d"}) {
      EXPECT_THAT(names, Contains(name));
    }
    EXPECT_THAT(names, Not(Contains("step 9")));
    EXPECT_THAT(names, Not(Contains("step 13")));
  }
}

TEST_F(Rehearsal, ATraceComesWhenASignalAsks) {
  Ranks ranks(command("x", {"train.epochs=50", "log.profile_steps=2"}), 1);
  ASSERT_TRUE(ranks.has_said(0, "step 20/"));
  ranks.send(0, SIGUSR2);
  ASSERT_TRUE(ranks.has_said(0, "trace from step "));
  ranks.send(0, SIGTERM);
  const auto exits = ranks.wait();
  EXPECT_EQ(exits[0].code, 80) << exits[0].output;
  const auto trace =
      nlohmann::json::parse(content_of(folder_ / "x/logs/metrics/trace-rank-0.json"));
  const std::string first = first_match(exits[0].output, "trace from step ([0-9]+) on");
  EXPECT_THAT(trace.dump(), HasSubstr("\"step " + first + "\""));
}

TEST_F(Rehearsal, MetricsTellMfuAndMemory) {
  finish("x", 1, {"log.peak_tflops=0.1", "train.max_steps=10"});
  const std::string metrics = content_of(folder_ / "x/logs/metrics/metrics.jsonl");
  const std::string line = metrics.substr(metrics.find("\"step\":10,"));
  EXPECT_NE(first_match(line, "\"mfu\":(0\\.[0-9]+)"), "") << metrics;
  EXPECT_NE(first_match(line, "\"memory\":([0-9.e+]+)"), "") << metrics;
}

}  // namespace
}  // namespace lockstep::testing
