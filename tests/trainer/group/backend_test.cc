// Choosing a back end, groups of one, and which errors mean a lost peer.
#include "trainer/group/backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "trainer/group/peer_lost.h"
#include "trainer/torch.h"

namespace lockstep {
namespace {

constexpr Machine kNoDevice{.cuda_devices = 0, .has_nccl = true};
constexpr Machine kNoCudaBuild{.cuda_devices = 0, .has_nccl = false};
constexpr Machine kTwoDevices{.cuda_devices = 2, .has_nccl = true};

std::string refusal(const std::string& wanted, const Machine& machine, int local_rank = 0) {
  Place place;
  place.local_rank = local_rank;
  try {
    choose_backend(wanted, machine, place);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(ChooseBackend, TakesNcclByItselfWhenThereAreDevices) {
  EXPECT_EQ(choose_backend("auto", kTwoDevices, {}), Backend::kNccl);
  EXPECT_EQ(choose_backend("nccl", kTwoDevices, {}), Backend::kNccl);
  EXPECT_EQ(choose_backend("auto", kNoDevice, {}), Backend::kGloo);
  EXPECT_EQ(choose_backend("auto", kNoCudaBuild, {}), Backend::kGloo);
  EXPECT_EQ(choose_backend("gloo", kTwoDevices, {}), Backend::kGloo);
}

TEST(ChooseBackend, SaysWhyNcclCannotBeHad) {
  EXPECT_THAT(refusal("nccl", kNoDevice), testing::HasSubstr("this machine has no CUDA device"));
  EXPECT_THAT(refusal("nccl", kNoCudaBuild), testing::HasSubstr("built without CUDA"));
  EXPECT_THAT(refusal("auto", kTwoDevices, 2),
              testing::HasSubstr("local rank 2 has no CUDA device of its own: this machine has 2"));
}

TEST(SingleGroup, AnswersVotesOneCallLater) {
  const auto group = make_single(at::kCPU);
  EXPECT_FALSE(group->any_asked(true));
  EXPECT_TRUE(group->any_asked(false));
  EXPECT_FALSE(group->any_asked(false));
  EXPECT_TRUE(any(*group, true));
  EXPECT_FALSE(any(*group, false));
}

TEST(PeerLoss, IsToldByTheTypeOfTheError) {
  EXPECT_TRUE(is_peer_loss(PeerLost("gone")));
  EXPECT_TRUE(is_peer_loss(c10::DistBackendError({"f", "f.cc", 1}, "NCCL")));
  EXPECT_FALSE(is_peer_loss(std::runtime_error("connection closed by peer")));
  EXPECT_FALSE(is_peer_loss(c10::Error({"f", "f.cc", 1}, "shape mismatch")));
}

TEST(PeerLoss, IsToldInOneSentence) {
  EXPECT_EQ(sentence_of(PeerLost("rank 2 has not arrived")), "rank 2 has not arrived");
  EXPECT_EQ(sentence_of(gloo::IoException("[a/pair.cc:561] Connection closed by peer [1.2.3.4]:5. "
                                          "This is typically caused by a crash.")),
            "lost another rank: Connection closed by peer [1.2.3.4]:5");
  EXPECT_EQ(sentence_of(std::runtime_error("disk. full")), "disk. full");
}

// As Gloo said it when a rank died while the others connected.
TEST(PeerLoss, WhileConnectingIsToldFromTheLibrarysWords) {
  const c10::Error error({"f", "f.cc", 1},
                         "Gloo connectFullMesh failed with [/gloo/transport/tcp/pair.cc:561] "
                         "Connection closed by peer [127.0.0.1]:25226. This is typically caused by "
                         "a remote worker crashing.");
  const PeerLost lost = lost_while_connecting(error);
  EXPECT_EQ(sentence_of(lost), "lost another rank: Connection closed by peer [127.0.0.1]:25226");
}

}  // namespace
}  // namespace lockstep
