// Numbers from text files, and one sentence for what is none.
#include "trainer/data/number_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temporary_directory.h"
#include "trainer/errors.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::ThrowsMessage;

class NumberFile : public ::testing::Test {
 protected:
  std::string with(const std::string& content) {
    testing::set_content(directory_ / "numbers", content);
    return (directory_ / "numbers").string();
  }

  testing::TemporaryDirectory directory_;
};

TEST_F(NumberFile, ReadsWhatStandsBetweenWhiteSpace) {
  EXPECT_THAT(read_whole_numbers(with("3 0\n\n 2147483647\t7")), ElementsAre(3, 0, 2147483647, 7));
  EXPECT_THAT(read_numbers(with("0.5 1e3\r\n2\n")), ElementsAre(0.5, 1000, 2));
}

TEST_F(NumberFile, SaysWhichNumberIsWrong) {
  for (const std::string word : {"-1", "2147483648", "1.5", "x", "3,", "1e400", "nan"}) {
    const std::string file = with("7 " + word);
    EXPECT_THAT([&] { read_whole_numbers(file); },
                ThrowsMessage<BadData>(file + ": number 2 is \"" + word +
                                       "\": must be a whole number from 0 to 2147483647"));
  }
  for (const std::string word : {"-1", "-0.5", "nan", "inf", "1e400", "1,5"}) {
    const std::string file = with(word);
    EXPECT_THAT(
        [&] { read_numbers(file); },
        ThrowsMessage<BadData>(file + ": number 1 is \"" + word + "\": must be a number from 0"));
  }
  EXPECT_THAT([&] { read_numbers(with(std::string(100'000, '1'))); },
              ThrowsMessage<BadData>(::testing::HasSubstr("is \"" + std::string(64, '1') + "\"")));
  EXPECT_THAT([&] { read_numbers(with(" \n")); },
              ThrowsMessage<BadData>(::testing::HasSubstr("holds no number")));
}

}  // namespace
}  // namespace lockstep
