// Each kind of error and its exit code, as docs/api.md lists them.
#include "trainer/exit_code.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "trainer/errors.h"
#include "trainer/group/peer_lost.h"

namespace lockstep {
namespace {

TEST(ExitCode, FollowsTheKindOfError) {
  EXPECT_EQ(exit_code_of(std::invalid_argument("")), 64);
  EXPECT_EQ(exit_code_of(BadData("")), 65);
  EXPECT_EQ(exit_code_of(std::runtime_error("")), 70);
  EXPECT_EQ(exit_code_of(Diverged("")), 71);
  EXPECT_EQ(exit_code_of(StorageError("")), 74);
  EXPECT_EQ(exit_code_of(PeerLost("")), 75);
}

}  // namespace
}  // namespace lockstep
