// Texts cut to size.
#include "operator/base/text.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

TEST(Tail, CutsBetweenCharacters) {
  EXPECT_EQ(tail("abc", 5), "abc");
  EXPECT_EQ(tail("aäö", 3), "ö");  // 5 bytes; the third from the end is in the middle of ä
}

TEST(Head, CutsBetweenCharactersAndSaysThatThereWasMore) {
  EXPECT_EQ(head("abc", 3), "abc");
  EXPECT_EQ(head("abcdefg", 5), "ab...");
  EXPECT_EQ(head("äöüäö", 7), "äö...");
  EXPECT_EQ(head("äöüäö", 8), "äö...") << "half of the third does not count";
  EXPECT_EQ(head("abcdefg", 2), "..");
}

TEST(Head, CutsAgainToTheSame) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "€ü.";
  for (std::size_t bytes = 0; bytes < text.size(); ++bytes) {
    const std::string once = head(text, bytes);
    EXPECT_LE(once.size(), bytes);
    EXPECT_EQ(head(once, bytes), once);
  }
}

TEST(Printable, LeavesOutWhatSteersATerminal) {
  EXPECT_EQ(printable("\x1b[2Jred\x07\r\n\tnext\x7f"), "[2Jred\n\tnext");
  EXPECT_EQ(printable("a\xc2\x9b"
                      "1mb \xc3\xa9 \xe2\x82\xac"),
            "a1mb \xc3\xa9 \xe2\x82\xac")
      << "U+009B is an escape as well; letters and signs stay";
  EXPECT_EQ(printable(std::string("a\0b", 3)), "ab");
}

}  // namespace
}  // namespace lockstep
