// Files of a run that is killed, resumed and started over.
#include "trainer/watch/metrics_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/temporary_directory.h"
#include "trainer/watch/event.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using testing::content_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::set_content;
using testing::TemporaryDirectory;

class MetricsLogTest : public ::testing::Test {
 protected:
  MetricsLog log_from(std::int64_t step, bool tensorboard = true) {
    return MetricsLog(
        {.directory = directory_ / "logs/metrics", .tensorboard = tensorboard}, {.step = step},
        [this](const std::string& text) { told_.push_back(text); }, [this] { return now_; });
  }
  fs::path jsonl() const { return directory_ / "logs/metrics/metrics.jsonl"; }

  // "start 0", "train 10", ...; fails on a line that is no JSON.
  std::vector<std::string> lines() const {
    std::vector<std::string> lines;
    std::istringstream stream(content_of(jsonl()));
    for (std::string line; std::getline(stream, line);) {
      const auto parsed = nlohmann::json::parse(line);
      lines.push_back(parsed["kind"].get<std::string>() + " " + parsed["step"].dump());
    }
    return lines;
  }

  std::vector<std::string> event_files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(jsonl().parent_path())) {
      const std::string name = entry.path().filename();
      if (name != "metrics.jsonl") names.push_back(name);
    }
    std::ranges::sort(names);
    return names;
  }

  TemporaryDirectory directory_;
  double now_ = 1700000000.5;
  std::vector<std::string> told_;
};

void train(MetricsLog& log, std::initializer_list<std::int64_t> steps) {
  for (const std::int64_t step : steps) log.train({.step = step, .epoch = 1, .loss = 0.5});
}

TEST_F(MetricsLogTest, WritesEachLineAtOnce) {
  MetricsLog log = log_from(0);
  train(log, {10, 20});
  log.val({.step = 20, .epoch = 1, .loss = 0.25});
  EXPECT_THAT(lines(), ElementsAre("start 0", "train 10", "train 20", "val 20"));
  log.sync();
  EXPECT_THAT(told_, IsEmpty());
}

TEST_F(MetricsLogTest, TellsEachStepOnceAfterAResume) {
  {
    MetricsLog log = log_from(0);
    train(log, {10, 20, 30, 40});
  }
  MetricsLog resumed = log_from(20);
  EXPECT_THAT(lines(), ElementsAre("start 0", "train 10", "train 20", "start 20"));
  train(resumed, {30});
  MetricsLog over = log_from(0);
  EXPECT_THAT(lines(), ElementsAre("start 0", "start 0"));
}

TEST_F(MetricsLogTest, RepairsWhateverACrashLeft) {
  const std::string whole = R"({"kind":"train","step":10})";
  const char* const ruins[] = {R"({"kind":"train","st)",
                               R"({"kind":"train","step":20})",
                               "\n",
                               "[]\n",
                               "{}\n",
                               R"({"kind":"train","step":"20"})"
                               "\n",
                               "garbage\n"};
  for (const char* ruin : ruins) {
    fs::create_directories(jsonl().parent_path());
    set_content(jsonl(), whole + "\n" + ruin);
    MetricsLog log = log_from(20, false);
    EXPECT_THAT(lines(), ElementsAre("train 10", "start 20")) << ruin;
  }
  set_content(jsonl(), whole + "\n" + std::string(100'000, '\0'));  // never synced
  MetricsLog log = log_from(20, false);
  EXPECT_THAT(lines(), ElementsAre("train 10", "start 20"));
}

// A kill can come between any two bytes of a write.
TEST_F(MetricsLogTest, RepairsAFileThatEndsAnywhere) {
  {
    MetricsLog log = log_from(0, false);
    train(log, {10, 20});
  }
  const std::string all = content_of(jsonl());
  for (std::size_t size = 0; size <= all.size(); ++size) {
    set_content(jsonl(), all.substr(0, size));
    MetricsLog log = log_from(20, false);
    const auto whole = std::count(all.begin(), all.begin() + static_cast<long>(size), '\n');
    EXPECT_EQ(lines().size(), static_cast<std::size_t>(whole) + 1);
  }
}

TEST_F(MetricsLogTest, BeginsAnEventFileAfterAllOthersAtEachStart) {
  { MetricsLog log = log_from(0); }
  now_ -= 3600;  // another node's clock
  MetricsLog log = log_from(20);
  log.train({.step = 30, .epoch = 1, .loss = 0.5, .learning_rate = 0.25});
  EXPECT_THAT(event_files(), ElementsAre("events.out.tfevents.1700000000.lockstep",
                                         "events.out.tfevents.1700000001.lockstep"));
  const Scalar scalars[] = {{"train_loss_iteration", 0.5}, {"learning_rate", 0.25}};
  EXPECT_EQ(content_of(jsonl().parent_path() / event_files()[1]),
            version_record(now_) + start_record(now_, 21) + scalars_record(now_, 30, scalars));
}

TEST_F(MetricsLogTest, WritesWhatIsWished) {
  MetricsLog lines_only = log_from(0, false);
  EXPECT_THAT(event_files(), IsEmpty());
  MetricsLog nothing({}, {}, [this](const std::string& text) { told_.push_back(text); });
  train(nothing, {10});
  nothing.sync();
  EXPECT_THAT(told_, IsEmpty());
}

TEST_F(MetricsLogTest, WarnsOncePerFileAndGoesOnWhereItCannotWrite) {
  set_content(directory_ / "logs", "");
  MetricsLog log = log_from(0);
  train(log, {10, 20});
  ASSERT_EQ(told_.size(), 2u);
  EXPECT_THAT(told_[0], HasSubstr("metrics.jsonl: "));
  EXPECT_THAT(told_[1], HasSubstr("the event file in "));
  fs::remove(directory_ / "logs");
  train(log, {30});
  EXPECT_THAT(lines(), ElementsAre("start 0", "train 10", "train 20", "train 30"));
  EXPECT_EQ(told_.size(), 4u);
}

// Others may write to the folder of a shared volume.
TEST_F(MetricsLogTest, NeverWritesThroughALinkNorWaitsForAFifo) {
  fs::create_directories(jsonl().parent_path());
  set_content(directory_ / "precious", "data");
  fs::create_symlink(directory_ / "precious", jsonl());
  { MetricsLog log = log_from(0, false); }
  EXPECT_EQ(content_of(directory_ / "precious"), "data");
  fs::remove(jsonl());
  ASSERT_EQ(::mkfifo(jsonl().c_str(), 0600), 0);
  { MetricsLog log = log_from(0, false); }
  EXPECT_EQ(told_.size(), 2u);
}

}  // namespace
}  // namespace lockstep
