// The command line of kubectl-lockstep, and its completion.
#include "operator/plugin/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "operator/plugin/completion.h"

namespace lockstep {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Words = std::vector<std::string>;

Result<std::variant<CommandLine, Notice>> parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "kubectl-lockstep");
  return parse_command_line(static_cast<int>(arguments.size()), arguments.data());
}

CommandLine line_of(const std::vector<const char*>& arguments) {
  const auto parsed = parse(arguments);
  if (!parsed) throw std::runtime_error(parsed.error().message);
  return std::get<CommandLine>(*parsed);
}

std::string error_of(const std::vector<const char*>& arguments) {
  const auto parsed = parse(arguments);
  return parsed ? "no error" : parsed.error().message;
}

TEST(CommandLine, HandsTheConnectionOnWhereverItStands) {
  const CommandLine line =
      line_of({"-n", "vision", "describe", "fashion", "--context=c", "--kubeconfig", "/a b"});
  EXPECT_EQ(line.command, "describe");
  EXPECT_EQ(line.job, "fashion");
  EXPECT_THAT(line.connection, ::testing::UnorderedElementsAre("--namespace=vision", "--context=c",
                                                               "--kubeconfig=/a b"));
  EXPECT_THAT(line_of({"list", "-n=vision"}).connection,
              ::testing::ElementsAre("--namespace=vision"));
}

TEST(CommandLine, ReadsTheFlagsOfLogs) {
  const CommandLine line =
      line_of({"logs", "fashion", "--rank", "5", "--attempt=2", "--tail", "10", "-f"});
  EXPECT_EQ(line.logs.rank, 5);
  EXPECT_EQ(line.logs.attempt, 2);
  EXPECT_EQ(line.logs.tail, 10);
  EXPECT_TRUE(line.logs.follows);
  EXPECT_FALSE(line.logs.node.has_value());
}

TEST(CommandLine, RefusesWhatMakesNoSense) {
  EXPECT_EQ(error_of({"docter", "x"}), "there is no command docter: did you mean doctor?");
  EXPECT_EQ(error_of({"logs", "x", "--folow"}), "there is no flag --folow: did you mean --follow?");
  EXPECT_EQ(error_of({"list", "x"}), "unexpected argument x");
  EXPECT_THAT(error_of({"describe"}), HasSubstr("JOB is required"));
  EXPECT_THAT(error_of({"logs", "x", "--rank=-1"}), HasSubstr("rank"));
  EXPECT_THAT(error_of({"describe", "a/b"}), HasSubstr("'a/b' is no name of a job"));
  EXPECT_THAT(error_of({"completion", "tcsh"}), HasSubstr("tcsh"));
}

TEST(CommandLine, HelpsWhenNothingIsAsked) {
  const auto parsed = parse({});
  ASSERT_TRUE(parsed);
  const std::string text = std::get<Notice>(*parsed).text;
  for (const std::string& command : command_names()) EXPECT_THAT(text, HasSubstr(command));
  EXPECT_THAT(text, HasSubstr("69 the cluster does not answer"));
}

TEST(Completion, KnowsCommandsFlagsAndShells) {
  EXPECT_THAT(complete(Words{"re"}).words, ElementsAre("resume", "restart"));
  EXPECT_THAT(complete(Words{"logs", "x", "--f"}).words, ElementsAre("--follow"));
  EXPECT_THAT(complete(Words{"logs", "-"}).words, Contains("--rank"));
  EXPECT_THAT(complete(Words{"top", "-"}).words, Contains("--once"));
  EXPECT_THAT(complete(Words{"completion", ""}).words, ElementsAre("bash", "zsh", "fish"));
  EXPECT_THAT(complete(Words{"list", ""}).words, IsEmpty());
  EXPECT_THAT(complete(Words{"list", ""}).kubectl, IsEmpty());
}

TEST(Completion, AsksTheClusterThatTheLineNames) {
  EXPECT_THAT(
      complete(Words{"describe", "-n", "vision", "--context=c", "f"}).kubectl,
      ElementsAre("-n", "vision", "--context=c", "get", "trainingjobs.lockstep.dev", "-o", "name"));
  EXPECT_THAT(complete(Words{"logs", "-n", ""}).kubectl,
              ElementsAre("get", "namespaces", "-o", "name"));
  EXPECT_THAT(complete(Words{"logs", "x", ""}).kubectl, IsEmpty()) << "one job is enough";
}

TEST(Completion, TakesNamesOutOfKubectlsLines) {
  EXPECT_THAT(named("trainingjob.lockstep.dev/fashion\ntrainingjob.lockstep.dev/food\n"
                    "trainingjob.lockstep.dev/wide\n",
                    "f"),
              ElementsAre("fashion", "food"));
  EXPECT_THAT(named("namespace/vision\n", ""), ElementsAre("vision"));
  EXPECT_THAT(named("NAME\narn:eks/prod\n", "arn"), ElementsAre("arn:eks/prod"));
}

}  // namespace
}  // namespace lockstep
