// Lines out of any chunks.
#include "trainer/launch/line_splitter.h"

#include <gtest/gtest.h>

#include <vector>

namespace lockstep {
namespace {

using Lines = std::vector<std::string>;

Lines split(const std::string& bytes, std::size_t chunk, std::size_t longest = 100) {
  LineSplitter splitter(longest);
  Lines lines;
  const auto keep = [&](std::string_view line) { lines.emplace_back(line); };
  for (std::size_t at = 0; at < bytes.size(); at += chunk) {
    splitter.feed(std::string_view(bytes).substr(at, chunk), keep);
  }
  splitter.finish(keep);
  return lines;
}

TEST(LineSplitter, GivesTheSameLinesForAnyChunks) {
  const struct {
    std::string bytes;
    Lines lines;
  } cases[] = {
      {"", {}},
      {"one\n", {"one"}},
      {"one\ntwo", {"one", "two"}},
      {"\n\n", {"", ""}},
      {"dos\r\nunix\n", {"dos", "unix"}},
      {"10%\r50%\r100%\n", {"10%", "50%", "100%"}},
      {"a\r\r\nb", {"a", "", "b"}},
      {std::string("nul\0byte\n", 9), {std::string("nul\0byte", 8)}},
  };
  for (const auto& c : cases) {
    for (std::size_t chunk = 1; chunk <= c.bytes.size() + 1; ++chunk) {
      EXPECT_EQ(split(c.bytes, chunk), c.lines) << c.bytes << " in chunks of " << chunk;
    }
  }
}

TEST(LineSplitter, CutsALineThatIsTooLong) {
  for (std::size_t chunk : {1, 3, 50}) {
    EXPECT_EQ(split("abcdefghij\nk\n", chunk, 4), (Lines{"abcd", "efgh", "ij", "k"}));
  }
}

TEST(LineSplitter, KeepsAMegabyteWhole) {
  const std::string line(LineSplitter::kLongest - 1, 'x');
  EXPECT_EQ(split(line + "\n", 4096, LineSplitter::kLongest), Lines{line});
}

}  // namespace
}  // namespace lockstep
