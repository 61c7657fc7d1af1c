// One log read in several pieces is told once, whole and in order.
#include "operator/plugin/log_stream.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace lockstep {
namespace {

// "2026-01-02T03:04:07.5Z [rank 1] line 12", one line each `step` milliseconds.
std::vector<std::string> a_log(int count, int step) {
  std::vector<std::string> lines;
  for (int i = 0; i < count; ++i) {
    const int at = i * step;
    const std::string time =
        format_time(*parse_time("2026-01-02T03:04:05Z") + std::chrono::milliseconds(at));
    lines.push_back(time.substr(0, 19) + "." + std::to_string(at % 1000 / 100) +
                    "Z [rank 1] line " + std::to_string(i) + "\n");
  }
  return lines;
}

// As the API answers: lines of that second and later.
std::string read_from(const std::vector<std::string>& log,
                      const std::optional<std::string>& since) {
  std::string text;
  for (const std::string& line : log) {
    if (!since || line.substr(0, 19) >= since->substr(0, 19)) text += line;
  }
  return text;
}

std::string told(const std::vector<std::string>& log) {
  std::string text;
  for (const std::string& line : log) text += line.substr(line.find(' ') + 1);
  return text;
}

TEST(LogStream, TellsEachLineOnceHoweverOftenItIsCut) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    SCOPED_TRACE(round);
    auto log = a_log(40, round % 2 ? 130 : 700);
    if (round % 3 == 0) std::swap(log[7], log[8]);  // two streams, a little out of order
    LogStream stream("[rank 1] ");
    std::string seen;
    for (int cut = 0; cut < 5; ++cut) {
      const std::string text = read_from(log, stream.since());
      seen += stream.take(text.substr(0, random() % (text.size() + 1)));
      stream.begin_again();
    }
    seen += stream.take(read_from(log, stream.since()));
    seen += stream.end();
    ASSERT_EQ(seen, told(log));
  }
}

TEST(LogStream, GoesOnAfterTheTailItBeganWith) {
  const auto log = a_log(10, 50);  // all in one second
  LogStream stream("");
  EXPECT_EQ(stream.take(log[8] + log[9]), told({log[8], log[9]}));
  stream.begin_again();
  EXPECT_EQ(stream.take(read_from(log, stream.since())), "");
  EXPECT_EQ(stream.end(), "");
}

TEST(LogStream, TellsLinesAgainRatherThanLosingThem) {
  const auto log = a_log(6, 500);
  LogStream stream("");
  stream.take(log[0] + log[1] + log[2]);
  stream.begin_again();
  EXPECT_EQ(stream.take(log[3]), "") << "it may be from before the cut";
  EXPECT_EQ(stream.take(log[4]), told({log[3], log[4]})) << "the file was rotated";
}

TEST(LogStream, CountsTheTimesOfAllZonesTogether) {
  LogStream stream("");
  EXPECT_EQ(stream.take("2026-01-02T05:04:05.000000001+02:00 a\n"), "a\n");
  EXPECT_EQ(stream.since(), "2026-01-02T03:04:04Z") << "a second earlier";
  EXPECT_EQ(stream.take("2026-01-01T23:34:06-03:30 b\n"), "b\n");
  EXPECT_EQ(stream.since(), "2026-01-02T03:04:05Z");
}

TEST(LogStream, KeepsLinesOfOneRankAndItsLastWithoutAnEnd) {
  LogStream stream("[rank 1] ");
  EXPECT_EQ(
      stream.take("2026-01-02T03:04:05Z [rank 11] a\n2026-01-02T03:04:05Z [rank 1] b\n2026-01-"
                  "02T03:04:05Z [rank 1] c"),
      "[rank 1] b\n");
  EXPECT_EQ(stream.end(), "[rank 1] c\n");
  EXPECT_EQ(stream.end(), "");
}

TEST(LogStream, TellsWhatBearsNoTimeAsItIs) {
  for (const std::string line : {"unable to retrieve container logs\n", "2026-01-02 x\n", "\n",
                                 "2026-01-02T03:04:05Q x\n", "2026-13-02T03:04:05Z x\n"}) {
    LogStream stream("");
    EXPECT_EQ(stream.take(line), line);
    EXPECT_FALSE(stream.since());
  }
}

}  // namespace
}  // namespace lockstep
