// The command line of lockstep-launch.
#include "trainer/launch/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace lockstep {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string refusal(const std::vector<std::string>& arguments) {
  try {
    parse_options(arguments);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Options, EndAtTheProgram) {
  const Options options = parse_options(
      {"--nproc", "4", "--peer-grace=0.5", "--grace", "9", "train", "--nproc", "8", "--", "-h"});
  EXPECT_EQ(options.nproc, "4");
  EXPECT_EQ(options.peer_grace, Seconds(0.5));
  EXPECT_EQ(options.grace, Seconds(9));
  EXPECT_THAT(options.command, ElementsAre("train", "--nproc", "8", "--", "-h"));
}

TEST(Options, EndAtTwoDashes) {
  EXPECT_THAT(parse_options({"--standalone", "--", "-odd", "--standalone"}).command,
              ElementsAre("-odd", "--standalone"));
}

TEST(Options, LeaveTheProgramsArgumentsAlone) {
  const std::vector<std::string> command = {"p", "[a,b]", "", "a=b", "--set", "x={y: [1, 2]}"};
  EXPECT_EQ(parse_options(command).command, command);
}

TEST(Options, HaveDefaults) {
  const Options options = parse_options({"p"});
  EXPECT_EQ(options.nproc, "auto");
  EXPECT_EQ(options.peer_grace, Seconds(1));
  EXPECT_EQ(options.grace, std::nullopt);
  EXPECT_EQ(options.hang_timeout, std::nullopt);
  EXPECT_FALSE(options.standalone);
  EXPECT_EQ(options.progress_port, 9790);
}

TEST(Options, RefuseWithOneSentence) {
  EXPECT_THAT(refusal({}), HasSubstr("no program given"));
  EXPECT_THAT(refusal({"--standalone"}), HasSubstr("no program given"));
  EXPECT_THAT(refusal({"--nprocs", "2", "p"}), HasSubstr("--nprocs: did you mean --nproc?"));
  EXPECT_THAT(refusal({"--peergrace=2", "p"}), HasSubstr("did you mean --peer-grace?"));
  EXPECT_THAT(refusal({"--grace", "long", "p"}), HasSubstr("--grace"));
  EXPECT_THAT(refusal({"--grace", "-1", "p"}), HasSubstr("--grace must be 0 to 86400 seconds"));
  EXPECT_THAT(refusal({"--hang-timeout", "-1", "p"}), HasSubstr("--hang-timeout must be 0 to"));
  EXPECT_THAT(refusal({"--progress-port", "65536", "p"}), HasSubstr("must be 0 to 65535"));
}

TEST(Options, AnswerForHelpAndVersion) {
  EXPECT_THAT(parse_options({"--help"}).answer, HasSubstr("--peer-grace"));
  EXPECT_EQ(parse_options({"--version"}).answer, "lockstep-launch " LOCKSTEP_VERSION "\n");
}

}  // namespace
}  // namespace lockstep
