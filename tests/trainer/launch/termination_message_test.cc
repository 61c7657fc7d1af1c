// The message a failed container leaves.
#include "trainer/launch/termination_message.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/temporary_directory.h"
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

TEST(RecentLines, KeepBothEndsOfALongLine) {
  const std::string middle(600, '-');
  RecentLines recent;
  recent.push("RuntimeError: shape" + middle + "got [3, 4]");
  const std::string& line = recent.lines().back();
  EXPECT_EQ(line.size(), RecentLines::kLongest);
  EXPECT_TRUE(line.starts_with("RuntimeError: shape---"));
  EXPECT_TRUE(line.ends_with("---got [3, 4]"));
  EXPECT_NE(line.find("- ... -"), std::string::npos);
  const std::string longest(RecentLines::kLongest, 'x');
  recent.push(longest);
  EXPECT_EQ(recent.lines().back(), longest);
}

TEST(WriteTerminationMessage, MakesAFileInAFolderThatIsThereWhenItMay) {
  testing::TemporaryDirectory directory;
  write_termination_message(directory / "message", "words", /*may_create=*/true);
  EXPECT_EQ(testing::content_of(directory / "message"), "words");
  write_termination_message(directory / "none" / "message", "words", /*may_create=*/true);
  EXPECT_FALSE(std::filesystem::exists(directory / "none"));
}

TEST(WriteTerminationMessage, OverwritesOnlyAFileThatIsThere) {
  const auto file = std::filesystem::path(::testing::TempDir()) / "termination-log";
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
