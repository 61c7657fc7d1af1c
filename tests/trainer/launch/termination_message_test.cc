// The message a failed container leaves.
#include "trainer/launch/termination_message.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "trainer/launch/recent_lines.h"

namespace lockstep {
namespace {

const Exit kCrash = {
    .rank = 3, .code = 139, .signal = 11, .time_ms = 1700000000123, .sent_by_us = false};

TEST(TerminationMessage, HasTheKeysThatTheOperatorReads) {
  const std::string expected =
      R"json({"rank":3,"exitCode":139,"signal":11,)json"
      R"json("reason":"rank 3 was killed by SIGSEGV (signal 11)","time":1700000000123,)json"
      R"json("lastLines":["loading","step \"1\""]})json";
  EXPECT_EQ(termination_message(kCrash, {"loading", "step \"1\""}), expected);
}

TEST(TerminationMessage, FitsWhateverTheLinesHold) {
  for (const char byte : {'x', '\x01', '\xff', '\xc3', '"', '\0'}) {
    std::deque<std::string> lines(RecentLines::kMost, std::string(RecentLines::kLongest, byte));
    lines.back() = "the last one";
    const std::string message = termination_message(kCrash, lines);
    EXPECT_LE(message.size(), kLongestMessage);
    EXPECT_EQ(nlohmann::json::parse(message)["lastLines"].back(), "the last one");
  }
}

TEST(TerminationMessage, IsValidEvenWithAnEndlessReason) {
  Exit exit = kCrash;
  exit.note = std::string(100000, '\x01');
  const std::string message = termination_message(exit, {"line"});
  EXPECT_LE(message.size(), kLongestMessage);
  EXPECT_EQ(nlohmann::json::parse(message)["rank"], 3);
}

TEST(RecentLines, KeepTheNewest) {
  RecentLines recent;
  for (int i = 0; i < 50; ++i) recent.push(std::to_string(i));
  recent.push(std::string(5000, 'x'));
  EXPECT_EQ(recent.lines().size(), RecentLines::kMost);
  EXPECT_EQ(recent.lines().front(), "31");
  EXPECT_EQ(recent.lines().back().size(), RecentLines::kLongest);
}

TEST(WriteTerminationMessage, OverwritesOnlyAFileThatIsThere) {
  const auto file = std::filesystem::path(testing::TempDir()) / "termination-log";
  std::filesystem::remove(file);
  write_termination_message(file, "lost");
  EXPECT_FALSE(std::filesystem::exists(file));
  std::ofstream(file) << "a longer text of an earlier container";
  write_termination_message(file, "short");
  std::ifstream stream(file);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(stream), {}), "short");
}

}  // namespace
}  // namespace lockstep
