// The command line of lockstep-launch.
#include "trainer/launch/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
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

TEST(Options, HaveTorchrunsNames) {
  const std::vector<std::string> with_dashes = {
      "--nproc-per-node=4", "--nnodes=2",       "--node-rank=1",    "--master-addr=head",
      "--master-port=3000", "--max-restarts=3", "--log-dir=my logs"};
  std::vector<std::string> with_underscores = with_dashes;
  for (std::string& word : with_underscores) std::replace(word.begin() + 2, word.end(), '-', '_');
  for (std::vector<std::string> arguments : {with_dashes, with_underscores}) {
    arguments.push_back("p");
    const Options options = parse_options(arguments);
    EXPECT_EQ(options.nproc, "4");
    EXPECT_EQ(options.nnodes, 2);
    EXPECT_EQ(options.node_rank, 1);
    EXPECT_EQ(options.master_addr, "head");
    EXPECT_EQ(options.master_port, 3000);
    EXPECT_EQ(options.max_restarts, 3);
    EXPECT_EQ(options.log_dir, "my logs");
  }
}

TEST(Options, SayWhichNodesThereAreInOneWay) {
  EXPECT_EQ(parse_options({"--hosts", "a,b", "p"}).node_rank, std::nullopt);
  EXPECT_EQ(parse_options({"--hosts", "a,b", "--node-rank", "auto", "p"}).node_rank, kAutoNodeRank);
  EXPECT_TRUE(parse_options({"--standalone", "--nnodes=1", "--node-rank=0", "p"}).standalone);
  for (const char* flag : {"--standalone", "--nnodes=2", "--master-addr=a"}) {
    EXPECT_THAT(refusal({"--hosts=a,b", flag, "p"}), HasSubstr("--hosts names all nodes")) << flag;
  }
  for (const char* flag : {"--nnodes=2", "--node-rank=1", "--master-addr=a", "--master-port=1"}) {
    EXPECT_THAT(refusal({"--standalone", flag, "p"}), HasSubstr("is one node on a free port"));
  }
  EXPECT_THAT(refusal({"--node-rank", "auto", "p"}), HasSubstr("--node-rank auto needs --hosts"));
  EXPECT_THAT(refusal({"--node-rank", "x", "p"}), HasSubstr("must be auto or a number from 0"));
  EXPECT_THAT(refusal({"--node-rank", "-1", "p"}), HasSubstr("must be auto or a number from 0"));
}

TEST(Options, TakeSizesWithUnits) {
  const std::pair<const char*, std::uint64_t> cases[] = {
      {"0", 0}, {"4096", 4096}, {"64MiB", 64 << 20}, {"2 G", 2ULL << 30}, {"10m", 10 << 20}};
  for (const auto& [text, bytes] : cases) {
    EXPECT_EQ(parse_options({"--log-max-size", text, "p"}).log_max_size, bytes) << text;
  }
  for (const char* text : {"much", "-1", "-64MiB", "+1"}) {
    EXPECT_THAT(refusal({"--log-max-size", text, "p"}), HasSubstr("--log-max-size")) << text;
  }
}

TEST(Options, HaveDefaults) {
  const Options options = parse_options({"p"});
  EXPECT_EQ(options.nproc, "auto");
  EXPECT_EQ(options.peer_grace, Seconds(1));
  EXPECT_EQ(options.grace, std::nullopt);
  EXPECT_EQ(options.hang_timeout, std::nullopt);
  EXPECT_FALSE(options.standalone);
  EXPECT_EQ(options.progress_port, 9790);
  EXPECT_EQ(options.max_restarts, 0);
  EXPECT_EQ(options.log_dir, "");
  EXPECT_EQ(options.log_max_size, 64 << 20);
}

TEST(Options, RefuseWithOneSentence) {
  EXPECT_THAT(refusal({}), HasSubstr("no program given"));
  EXPECT_THAT(refusal({"--standalone"}), HasSubstr("no program given"));
  EXPECT_THAT(refusal({"--nprocs", "2", "p"}), HasSubstr("--nprocs: did you mean --nproc?"));
  EXPECT_THAT(refusal({"--peergrace=2", "p"}), HasSubstr("did you mean --peer-grace?"));
  EXPECT_THAT(refusal({"--max-restart=2", "p"}), HasSubstr("did you mean --max-restarts?"));
  EXPECT_THAT(refusal({"--max-restarts", "-1", "p"}), HasSubstr("--max-restarts must be 0 to"));
  EXPECT_THAT(refusal({"--grace", "long", "p"}), HasSubstr("--grace"));
  EXPECT_THAT(refusal({"--grace", "-1", "p"}), HasSubstr("--grace must be 0 to 86400 seconds"));
  EXPECT_THAT(refusal({"--hang-timeout", "-1", "p"}), HasSubstr("--hang-timeout must be 0 to"));
  EXPECT_THAT(refusal({"--progress-port", "65536", "p"}), HasSubstr("must be 0 to 65535"));
}

TEST(Options, AnswerForHelpAndVersion) {
  const std::string help = parse_options({"--help"}).answer;
  EXPECT_THAT(help, HasSubstr("--peer-grace"));
  EXPECT_LT(std::count(help.begin(), help.end(), '\n'), 60) << "more than two screens";
  EXPECT_THAT(help, testing::Not(HasSubstr("--nproc_per_node"))) << "each flag is told once";
  EXPECT_EQ(parse_options({"--version"}).answer, "lockstep-launch " LOCKSTEP_VERSION "\n");
}

}  // namespace
}  // namespace lockstep
