// See chatter.cc for the lines; each descriptor of a rank keeps its own order.
#include "tests/trainer/launch/chatter_lines.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <sstream>
#include <utility>

namespace lockstep::test {

void expect_whole_chatter(const std::string& output, int ranks) {
  std::istringstream lines(output);
  std::map<std::pair<int, bool>, long> next;  // by rank and descriptor
  for (std::string line; std::getline(lines, line);) {
    int rank = -1, used = 0;
    long n = -1, length = -1;
    ASSERT_EQ(std::sscanf(line.c_str(), "[rank %d] %ld %ld %n", &rank, &n, &length, &used), 3);
    ASSERT_EQ(static_cast<long>(line.size()) - used, length) << line.substr(0, 60);
    ASSERT_EQ(line.find_first_not_of('x', used), std::string::npos) << line.substr(0, 60);
    long& expected = next[{rank, n % 3 == 0}];
    if (n % 3 != 0 && expected % 3 == 0) ++expected;
    ASSERT_EQ(n, expected);
    expected += n % 3 == 0 ? 3 : 1;
  }
  EXPECT_EQ(next.size(), 2U * ranks);
}

}  // namespace lockstep::test
