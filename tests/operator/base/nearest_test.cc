// The word that a user most likely meant.
#include "operator/base/nearest.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

TEST(Nearest, IsTheWordWithTheFewestChanges) {
  const std::vector<std::string> words = {"list", "logs", "doctor", "resume"};
  EXPECT_EQ(nearest("docter", words), "doctor");  // one replaced
  EXPECT_EQ(nearest("lgs", words), "logs");       // one inserted; "list" is two away
  EXPECT_EQ(nearest("ressume", words), "resume");
  EXPECT_EQ(nearest("ax", {"ab", "ac"}), "ab") << "the first of equals";
  EXPECT_EQ(nearest("list", {}), "");
  EXPECT_EQ(nearest("quit", words), "") << "nothing is near";
}

TEST(Nearest, IsSuggested) {
  EXPECT_EQ(suggestion("docter", {"list", "doctor"}), "did you mean doctor?");
  EXPECT_EQ(suggestion("quit", {"list", "doctor"}), "see --help");
}

}  // namespace
}  // namespace lockstep
