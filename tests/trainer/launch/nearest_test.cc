// Suggestions for misspelt words.
#include "trainer/nearest.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

const std::vector<std::string> kKeys = {"batch_size", "backend", "epochs", "eval_every_epochs"};

TEST(Nearest, FindsTheKeyOneSlipAway) {
  for (const char* word : {"batchsize", "batch_sise", "batch_szie", "Batch_size", "batch_sizes"}) {
    EXPECT_EQ(nearest(word, kKeys), "batch_size") << word;
  }
  EXPECT_EQ(nearest("epoch", kKeys), "epochs");
}

TEST(Nearest, FindsNothingForAStrangeWord) {
  EXPECT_EQ(nearest("zzzzzzzz", kKeys), "");
  EXPECT_EQ(nearest("", kKeys), "");
  EXPECT_EQ(nearest("epochs", {}), "");
}

TEST(Suggestion, ListsWhatIsValidWhenNothingIsNear) {
  EXPECT_EQ(suggestion("backed", kKeys), "did you mean backend?");
  EXPECT_EQ(suggestion("zzz", {"a", "b"}), "valid are a, b");
}

}  // namespace
}  // namespace lockstep
