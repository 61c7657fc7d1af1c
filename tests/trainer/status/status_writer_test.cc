// When a rank speaks, into FIFOs of every kind.
#include "trainer/status/status_writer.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>

#include "tests/support/temporary_directory.h"
#include "trainer/launch/fd.h"

namespace lockstep {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using testing::TemporaryDirectory;

constexpr milliseconds kNever = std::chrono::hours(1);
constexpr milliseconds kSoon(30);

class StatusWriterTest : public ::testing::Test {
 protected:
  StatusWriterTest() {
    mkfifo(path_.c_str(), 0600);
    reader_ = Fd(open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  }

  // What was told since the last call; waits at most `patience` for the first of it.
  std::string told(milliseconds patience = milliseconds(0)) {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    pollfd ready{reader_.get(), POLLIN, 0};
    while (poll(&ready, 1, 10) <= 0 && std::chrono::steady_clock::now() < deadline) {
    }
    char text[4096];
    const ssize_t count = read(reader_.get(), text, sizeof text);
    return {text, static_cast<std::size_t>(std::max<ssize_t>(count, 0))};
  }

  TemporaryDirectory directory_;
  const std::string path_ = directory_ / "fifo";
  Fd reader_;
};

TEST_F(StatusWriterTest, TellsEachPhaseAtOnceAndOnce) {
  StatusWriter writer(path_, kNever);
  EXPECT_EQ(told(), "{\"phase\": \"init\"}\n");
  writer.enter(Phase::kData);
  EXPECT_EQ(told(), "{\"phase\": \"data\"}\n");
  writer.enter(Phase::kData);
  EXPECT_EQ(told(), "");
}

TEST_F(StatusWriterTest, TellsTheFirstStepAtOnceThoughAPhaseWasToldJustNow) {
  StatusWriter writer(path_, kNever);
  told();
  writer.step(1, 1);
  EXPECT_EQ(told(), "{\"phase\": \"step\", \"epoch\": 1, \"step\": 1}\n");
}

TEST_F(StatusWriterTest, KeepsStepsToItselfDuringThePause) {
  StatusWriter writer(path_, kNever);
  writer.step(1, 1);
  told();
  for (int step = 2; step < 1000; ++step) writer.step(1, step);
  EXPECT_EQ(told(), "");
}

TEST_F(StatusWriterTest, TellsTheNewestStepAfterThePauseThoughTheLoopStandsStill) {
  StatusWriter writer(path_, kSoon);
  writer.step(1, 1);
  told();
  writer.step(1, 2);
  writer.step(2, 3);
  EXPECT_EQ(told(milliseconds(5000)), "{\"phase\": \"step\", \"epoch\": 2, \"step\": 3}\n");
  EXPECT_EQ(told(4 * kSoon), "") << "a loop that stands still must look like it";
}

TEST_F(StatusWriterTest, TellsThatALongPhaseGoesOn) {
  StatusWriter writer(path_, kSoon);
  writer.enter(Phase::kEval);
  told();
  writer.go_on();
  EXPECT_EQ(told(milliseconds(5000)), "{\"phase\": \"eval\"}\n");
  EXPECT_EQ(told(4 * kSoon), "") << "once for each time that it was told";
}

TEST_F(StatusWriterTest, TellsAtMostOneLineAPause) {
  StatusWriter writer(path_, kSoon);
  writer.step(1, 1);
  told();
  const auto started = std::chrono::steady_clock::now();
  std::string lines;
  for (int step = 2; std::chrono::steady_clock::now() - started < 10 * kSoon; ++step) {
    writer.step(1, step);
    if (step % 1000 == 0) lines += told();
  }
  const auto count = std::count(lines.begin(), lines.end(), '\n');
  EXPECT_LE(count, 11);
  EXPECT_GE(count, 3);
}

TEST_F(StatusWriterTest, TellsFiguresWithTheNextLineAndKeepsThem) {
  StatusWriter writer(path_, kNever);
  told();
  writer.plan(2, 80);
  writer.figures({.loss = 0.5});
  writer.checkpoint(40);
  EXPECT_EQ(told(), "");
  writer.enter(Phase::kEval);
  writer.enter(Phase::kDone);
  const std::string rest =
      ", \"epochs\": 2, \"steps\": 80, \"checkpointStep\": 40, \"loss\": 0.5}\n";
  EXPECT_EQ(told(), "{\"phase\": \"eval\"" + rest + "{\"phase\": \"done\"" + rest);
}

TEST_F(StatusWriterTest, KeepsNothingToItselfAtTheEnd) {
  {
    StatusWriter writer(path_, kNever);
    writer.enter(Phase::kCheckpoint);
    told();
    writer.checkpoint(40);
  }
  EXPECT_EQ(told(), "{\"phase\": \"checkpoint\", \"checkpointStep\": 40}\n");
}

// Exercises every call; the test is that it returns.
void run_through(const std::optional<std::string>& path) {
  StatusWriter writer(path, kSoon);
  writer.plan(1, 2);
  writer.step(1, 1);
  writer.step(1, 2);
  writer.enter(Phase::kDone);
}

TEST_F(StatusWriterTest, IsSilentWithoutAFifo) {
  run_through(std::nullopt);
  run_through("");
  run_through(directory_ / "nothing");
  run_through(directory_ / "no-folder" / "fifo");
  run_through(directory_.path());
  run_through("/dev/null");
  run_through(std::string(10000, 'x'));
}

TEST_F(StatusWriterTest, LeavesAFileThatIsNoFifoAsItIs) {
  testing::set_content(directory_ / "file", "mine");
  run_through(directory_ / "file");
  EXPECT_EQ(testing::content_of(directory_ / "file"), "mine");
}

TEST_F(StatusWriterTest, GoesOnWithoutItsReader) {
  reader_.reset();
  run_through(path_);
  StatusWriter writer(path_, kNever);
  reader_ = Fd(open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  EXPECT_EQ(told(), "{\"phase\": \"init\"}\n");
  reader_.reset();
  writer.enter(Phase::kData);  // SIGPIPE would end this test
}

TEST_F(StatusWriterTest, NeverWaitsForAFullFifo) {
  StatusWriter writer(path_, kNever);
  for (int round = 0; round < 10000; ++round) {
    writer.enter(Phase::kEval);
    writer.enter(Phase::kCheckpoint);
  }
  while (!told().empty()) {
  }
  writer.enter(Phase::kDone);
  EXPECT_EQ(told(), "{\"phase\": \"done\"}\n");
}

TEST_F(StatusWriterTest, TakesNoAlarmOfOthersForItsOwn) {
  StatusWriter writer(path_, kNever);
  writer.step(1, 1);
  writer.step(1, 2);
  told();
  raise(SIGALRM);
  EXPECT_EQ(told(), "");
}

}  // namespace
}  // namespace lockstep
