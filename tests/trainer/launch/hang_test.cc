// When a node hangs, and on whom.
#include "trainer/launch/hang.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

RankStatus rank(int number, const std::string& line, std::optional<double> silent_seconds) {
  RankStatus status{.rank = number, .report = {}, .silent_seconds = silent_seconds, .lines = {}};
  EXPECT_EQ(merge_line(status.report, line), "");
  return status;
}

RankStatus stopped(RankStatus status) {
  status.is_stopped = true;
  return status;
}

RankStatus ended(RankStatus status) {
  status.is_running = false;
  return status;
}

const char kStep9[] = R"({"phase":"step","epoch":1,"step":9})";
const char kStep8[] = R"({"phase":"data","epoch":1,"step":8})";
const char kDone[] = R"({"phase":"done"})";

TEST(Hang, IsTheSilenceOfAllRanksOnTheOneTheyWaitFor) {
  constexpr int kNone = -1;
  const struct {
    const char* name;
    std::vector<RankStatus> ranks;
    int culprit;
  } cases[] = {
      {"nobody", {}, kNone},
      {"nobody has spoken", {rank(0, "{}", std::nullopt)}, kNone},
      {"all silent, but not for long enough", {rank(0, kStep9, 29), rank(1, kStep9, 29.9)}, kNone},
      {"all silent for as long as is allowed", {rank(0, kStep9, 30), rank(1, kStep9, 30)}, 0},
      {"one goes on", {rank(0, kStep8, 99), rank(1, kStep9, 1)}, kNone},
      {"one speaks for all", {rank(0, kStep9, 31), rank(1, "{}", std::nullopt)}, 0},
      {"the furthest behind", {rank(0, kStep9, 40), rank(1, kStep8, 31)}, 1},
      {"the longest silent", {rank(0, kStep9, 31), rank(1, kStep9, 40)}, 1},
      {"a stopped one first", {rank(0, kStep8, 40), stopped(rank(1, kStep9, 31))}, 1},
      {"those that are done do not count", {rank(0, kDone, 99), rank(1, kStep9, 31)}, 1},
      {"done does not hang", {rank(0, kDone, 99)}, kNone},
      {"one has just said that it is done", {rank(0, kDone, 1), rank(1, kStep9, 99)}, kNone},
      {"one has just ended", {ended(rank(0, kStep8, 1)), rank(1, kStep9, 99)}, kNone},
      {"the dead do not count", {ended(rank(0, kStep8, 99)), rank(1, kStep9, 31)}, 1},
  };
  for (const auto& c : cases) {
    const auto hang = find_hang({"", "", 1, 0, c.ranks}, 30);
    EXPECT_EQ(hang ? hang->rank : kNone, c.culprit) << c.name;
  }
}

TEST(Hang, IsDescribedInWords) {
  const auto words = [](RankStatus status) {
    return describe(find_hang({"", "", 1, 0, {status}}, 30).value());
  };
  EXPECT_EQ(words(rank(0, "{}", 30)), "hangs: silent for 30 s");
  EXPECT_EQ(words(rank(0, R"({"step":120})", 31.4)),
            "hangs: silent for 31 s, last heard of in step 120");
  EXPECT_EQ(words(stopped(rank(0, kStep8, 61))),
            "hangs: stopped (SIGSTOP), silent for 61 s, "
            "last heard of in phase data, epoch 1, step 8");
}

}  // namespace
}  // namespace lockstep
