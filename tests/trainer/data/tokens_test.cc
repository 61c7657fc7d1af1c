// Token sequences: windows from files of both widths and from memory, and what is refused.
#include "trainer/data/tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>

#include "tests/support/temporary_directory.h"
#include "tests/trainer/data/faults.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using testing::fault_of;
using testing::set_content;
using testing::TemporaryDirectory;
using namespace std::string_literals;

struct Window {
  std::vector<std::int64_t> inputs, targets;
};

Window window_of(const Tokens& tokens, std::int64_t first, std::int64_t length,
                 std::int64_t vocabulary = 1'000'000) {
  Window window{std::vector<std::int64_t>(length), std::vector<std::int64_t>(length)};
  tokens.window(first, vocabulary, window.inputs, window.targets);
  return window;
}

TEST(Tokens, CutsTheSameWindowsFromEachStorage) {
  TemporaryDirectory directory;
  set_content(directory / "16.bin", "\x05\0\x01\x02\xff\xff\x07\0"s);
  set_content(directory / "32.bin", "\x05\0\0\0\x01\x02\0\0\xff\xff\0\0\x07\0\0\0"s);
  for (const Tokens& tokens :
       {Tokens::map(directory / "16.bin", TokenWidth::k16Bits),
        Tokens::map(directory / "32.bin", TokenWidth::k32Bits), Tokens({5, 513, 65535, 7})}) {
    EXPECT_EQ(tokens.size(), 4);
    EXPECT_EQ(tokens.windows(3), 1);
    EXPECT_EQ(tokens.windows(2), 2);
    EXPECT_EQ(tokens.windows(4), 0);
    EXPECT_EQ(tokens.windows(9), 0);
    const Window window = window_of(tokens, 1, 2);
    EXPECT_THAT(window.inputs, ElementsAre(513, 65535));
    EXPECT_THAT(window.targets, ElementsAre(65535, 7));
    EXPECT_EQ(tokens.identity(), Tokens({5, 513, 65535, 7}).identity());
  }
}

TEST(Tokens, KeepsTheMappingWhileACopyLives) {
  TemporaryDirectory directory;
  set_content(directory / "t.bin", "\x05\0\x06\0"s);
  Tokens copy({1});
  {
    const Tokens mapped = Tokens::map(directory / "t.bin", TokenWidth::k16Bits);
    copy = mapped;
  }
  std::filesystem::remove(directory / "t.bin");
  EXPECT_EQ(copy[1], 6u);
}

TEST(Tokens, RefusesWindowsThatLeaveTheSequence) {
  const Tokens tokens({1, 2, 3});
  EXPECT_THROW(window_of(tokens, -1, 1), std::out_of_range);
  EXPECT_THROW(window_of(tokens, 2, 1), std::out_of_range);
  EXPECT_THROW(window_of(tokens, 0, 3), std::out_of_range);
  std::vector<std::int64_t> inputs(1), targets(2);
  EXPECT_THROW(tokens.window(0, 9, inputs, targets), std::out_of_range);
}

TEST(Tokens, SaysWhatIsWrong) {
  TemporaryDirectory directory;
  const std::string at = directory.path().string();
  set_content(directory / "empty.bin", "");
  set_content(directory / "odd.bin", "abcde");
  const auto map = [&](const char* name, TokenWidth width) {
    return fault_of([&] { Tokens::map(directory / name, width); });
  };
  EXPECT_EQ(map("none.bin", TokenWidth::k16Bits),
            at + "/none.bin: cannot open it: No such file or directory");
  EXPECT_EQ(map("empty.bin", TokenWidth::k16Bits), at + "/empty.bin: is empty, expected tokens");
  EXPECT_EQ(map("odd.bin", TokenWidth::k16Bits), at + "/odd.bin: 5 bytes are no whole tokens of 2");
  EXPECT_EQ(map("odd.bin", TokenWidth::k32Bits), at + "/odd.bin: 5 bytes are no whole tokens of 4");
  EXPECT_EQ(map(".", TokenWidth::k32Bits), at + "/.: is no regular file");
  EXPECT_EQ(fault_of([&] {
              window_of(Tokens({3, 9, 3}), 0, 1, 9);
            }),
            "token 9 at position 1, but the vocabulary has 9");
}

TEST(Tokens, HaveAnIdentityThatFollowsLengthAndTokens) {
  std::vector<std::uint32_t> many(1'000'000);
  for (std::size_t i = 0; i < many.size(); ++i)
    many[i] = static_cast<std::uint32_t>(i * 2654435761);
  const std::uint32_t identity = Tokens(many).identity();
  EXPECT_EQ(Tokens(many).identity(), identity);
  for (const std::size_t changed : {std::size_t{0}, many.size() - 1}) {
    auto other = many;
    other[changed] ^= 1;
    EXPECT_NE(Tokens(other).identity(), identity) << changed;
  }
  many.push_back(0);
  EXPECT_NE(Tokens(many).identity(), identity);
}

}  // namespace
}  // namespace lockstep
