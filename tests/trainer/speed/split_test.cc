// Spans by hand.
#include "trainer/speed/split.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

Mark begin(const char* name, double seconds) { return {name, true, seconds}; }
Mark end(const char* name, double seconds) { return {name, false, seconds}; }

TEST(Split, GivesTimeToTheInnermostSpan) {
  const std::vector<Mark> marks{begin("step 7", 1),   begin("forward", 2), begin("buffers", 4),
                                end("buffers", 8),    end("forward", 16),  begin("optimizer", 32),
                                end("optimizer", 64), end("step 7", 128)};
  EXPECT_THAT(split_of(marks).seconds,
              ElementsAre(Pair("buffers", 4), Pair("forward", 2 + 8), Pair("optimizer", 32),
                          Pair("step", 1 + 16 + 64)));
}

TEST(Split, AddsUpStepsAndMeasuresThemFromEndToEnd) {
  const std::vector<Mark> marks{begin("step 1", 1), begin("data", 1),    end("data", 3),
                                end("step 1", 4),   begin("step 2", 10), begin("data", 10),
                                end("data", 10.5),  end("step 2", 12)};
  const Split split = split_of(marks);
  EXPECT_THAT(split.seconds, ElementsAre(Pair("data", 2.5), Pair("step", 1 + 1.5)));
  EXPECT_THAT(split.steps, ElementsAre(4, 8)) << "what is between steps belongs to the next one";
}

TEST(Split, OfNothingIsNothing) {
  EXPECT_TRUE(split_of({}).seconds.empty());
  EXPECT_TRUE(split_of({}).steps.empty());
}

TEST(Quantile, IsTheNearestRank) {
  const std::vector<double> values{50, 15, 40, 20, 35};
  EXPECT_EQ(quantile(values, 0.05), 15);  // the example of the method's textbook page
  EXPECT_EQ(quantile(values, 0.3), 20);
  EXPECT_EQ(quantile(values, 0.4), 20);
  EXPECT_EQ(quantile(values, 0.5), 35);
  EXPECT_EQ(quantile(values, 1), 50);
  EXPECT_EQ(quantile({3}, 0.95), 3);
  EXPECT_EQ(quantile({3}, 0), 3);
}

}  // namespace
}  // namespace lockstep
