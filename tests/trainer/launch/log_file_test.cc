// A log file: it rotates, it is continued, and it is nothing but a file.
#include "trainer/launch/log_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <system_error>

#include "tests/support/temporary_directory.h"

namespace lockstep {
namespace {

using lockstep::testing::content_of;
using lockstep::testing::set_content;
using lockstep::testing::TemporaryDirectory;
namespace fs = std::filesystem;

class LogFileTest : public ::testing::Test {
 protected:
  // Both parts, the older one first.
  std::string all() const {
    return (fs::exists(older_) ? content_of(older_) : "") + content_of(path_);
  }
  int error_of_opening() const {
    try {
      LogFile file(path_, 100);
    } catch (const std::system_error& error) {
      return error.code().value();
    }
    return 0;
  }

  TemporaryDirectory directory_;
  fs::path path_ = directory_ / "rank-0.log";
  fs::path older_ = directory_ / "rank-0.log.1";
};

TEST_F(LogFileTest, TakesAnotherNameBetweenLinesWhenItIsFull) {
  LogFile file(path_, 10);
  file.append("one\ntwo\n");
  EXPECT_EQ(all(), "one\ntwo\n");
  file.append("three\n");
  EXPECT_EQ(content_of(older_), "one\ntwo\n");
  EXPECT_EQ(content_of(path_), "three\n");
  file.append("four\n");
  EXPECT_EQ(all(), "three\nfour\n");
}

TEST_F(LogFileTest, NeverExceedsTwiceItsSizeAndKeepsTheNewest) {
  LogFile file(path_, 100);
  std::string written;
  for (int line = 0; line < 500; ++line) {
    const std::string text = std::to_string(line) + std::string(line % 30, 'x') + "\n";
    file.append(text);
    written += text;
    ASSERT_LE(fs::file_size(path_), 100);
    ASSERT_TRUE(!fs::exists(older_) || fs::file_size(older_) <= 100);
  }
  EXPECT_THAT(written, ::testing::EndsWith(all()));
  EXPECT_GT(all().size(), 100);
}

TEST_F(LogFileTest, CutsALineThatIsLongerThanAFile) {
  LogFile file(path_, 10);
  file.append("ab\n" + std::string(24, 'x') + "\nend\n");
  EXPECT_EQ(all(), std::string(10, 'x') + "xxxx\nend\n");
}

TEST_F(LogFileTest, ContinuesWhatIsThere) {
  set_content(path_, "before\n");
  LogFile(path_, 12).append("after\nnext\n");
  EXPECT_EQ(content_of(older_), "before\n");
  EXPECT_EQ(content_of(path_), "after\nnext\n");
}

TEST_F(LogFileTest, FollowsNoLinkAndWaitsForNoFifo) {
  fs::create_symlink(directory_ / "elsewhere", path_);
  EXPECT_EQ(error_of_opening(), ELOOP);
  EXPECT_FALSE(fs::exists(directory_ / "elsewhere"));
  fs::remove(path_);
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_EQ(error_of_opening(), ENXIO);
  fs::remove(path_);
  fs::create_directory(path_);
  EXPECT_EQ(error_of_opening(), EISDIR);
}

TEST_F(LogFileTest, SaysWhatWentWrong) {
  LogFile file(path_, 10);
  file.append("12345678\n");
  fs::remove(path_);
  try {
    file.append("next\n");
    FAIL() << "its folder has lost it";
  } catch (const std::system_error& error) {
    EXPECT_EQ(error.what(), "cannot rename " + path_.string() + ": No such file or directory");
  }
}

}  // namespace
}  // namespace lockstep
