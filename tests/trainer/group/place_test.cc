// What environment variables say about the place of a process.
#include "trainer/group/place.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <stdexcept>

namespace lockstep {
namespace {

using Variables = std::map<std::string, std::string>;

Place place_given(const Variables& variables) {
  return place_in([&](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  });
}

std::string complaint_about(const Variables& variables) {
  try {
    place_given(variables);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(Place, IsAloneWithoutVariables) {
  const Place place = place_given({});
  EXPECT_EQ(place.rank, 0);
  EXPECT_EQ(place.world_size, 1);
}

TEST(Place, NeedsNoMasterForOneRank) {
  EXPECT_EQ(place_given({{"RANK", "0"}, {"WORLD_SIZE", "1"}}).world_size, 1);
}

TEST(Place, ReadsWhatLauncherAndOperatorSet) {
  const Place place = place_given({{"RANK", "3"},
                                   {"WORLD_SIZE", "4"},
                                   {"LOCAL_RANK", "1"},
                                   {"MASTER_ADDR", "job-0.job"},
                                   {"MASTER_PORT", "1234"},
                                   {"LOCKSTEP_STARTUP_SECONDS", "7"},
                                   {"LOCKSTEP_JOB_UID", "abc"},
                                   {"LOCKSTEP_ATTEMPT", "2"}});
  EXPECT_EQ(place.rank, 3);
  EXPECT_EQ(place.world_size, 4);
  EXPECT_EQ(place.local_rank, 1);
  EXPECT_EQ(place.master_address, "job-0.job");
  EXPECT_EQ(place.master_port, 1234);
  EXPECT_EQ(place.startup, std::chrono::seconds(7));
  EXPECT_EQ(place.attempt_key, "abc/2");
  EXPECT_FALSE(place.store_is_hosted);
}

TEST(Place, LeavesTheStoreToTorchrunWhenItKeepsOne) {
  const Place place = place_given({{"RANK", "0"},
                                   {"WORLD_SIZE", "2"},
                                   {"MASTER_ADDR", "localhost"},
                                   {"TORCHELASTIC_USE_AGENT_STORE", "True"},
                                   {"TORCHELASTIC_RUN_ID", "run"},
                                   {"TORCHELASTIC_RESTART_COUNT", "1"}});
  EXPECT_TRUE(place.store_is_hosted);
  EXPECT_EQ(place.attempt_key, "run/1");
  EXPECT_EQ(place.master_port, 29500);
}

TEST(Place, NamesTheVariableThatIsWrong) {
  const Variables good = {
      {"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "a"}, {"MASTER_PORT", "1"}};
  struct Case {
    const char* name;
    const char* value;  // null: not set
    const char* complaint;
  };
  for (const Case& bad : {Case{"RANK", nullptr, "RANK is not set although"},
                          Case{"RANK", "2", "RANK is \"2\": it must be a number from 0 to 1"},
                          Case{"RANK", "1x", "RANK is \"1x\""}, Case{"RANK", "", "RANK is \"\""},
                          Case{"WORLD_SIZE", nullptr, "WORLD_SIZE is not set although"},
                          Case{"WORLD_SIZE", "0", "WORLD_SIZE is \"0\""},
                          Case{"LOCAL_RANK", "-1", "LOCAL_RANK is \"-1\""},
                          Case{"MASTER_ADDR", nullptr, "MASTER_ADDR is not set: name the host"},
                          Case{"MASTER_PORT", "70000", "a number from 1 to 65535"}}) {
    Variables variables = good;
    variables.erase(bad.name);
    if (bad.value) variables[bad.name] = bad.value;
    EXPECT_THAT(complaint_about(variables), testing::HasSubstr(bad.complaint)) << bad.name;
  }
}

}  // namespace
}  // namespace lockstep
