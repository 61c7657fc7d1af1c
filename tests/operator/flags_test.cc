// The command line, good and bad.
#include "operator/flags.h"

#include <gtest/gtest.h>
#include <stdlib.h>

namespace lockstep {
namespace {

Result<std::variant<Flags, Notice>> parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "lockstep-operator");
  return parse_flags(static_cast<int>(arguments.size()), arguments.data());
}

Flags flags_of(const std::vector<const char*>& arguments) {
  return std::get<Flags>(*parse(arguments));
}

std::string error_of(const std::vector<const char*>& arguments) {
  const auto parsed = parse(arguments);
  return parsed ? "no error" : parsed.error().message;
}

TEST(Flags, HaveDefaults) {
  const Flags flags = flags_of({});
  EXPECT_TRUE(flags.namespaces.empty());
  EXPECT_EQ(flags.health_address, "0.0.0.0:8080");
  EXPECT_EQ(flags.trainer_image, "lockstep/trainer:" LOCKSTEP_VERSION);
  EXPECT_EQ(flags.launcher_image, "lockstep/operator:" LOCKSTEP_VERSION);
  EXPECT_EQ(flags.workers, 4);
}

TEST(Flags, AreRead) {
  const Flags flags = flags_of({"--namespace=a", "--namespace", "b", "--workers=2",
                                "--log-level=debug", "--accelerator=x.com/npu"});
  EXPECT_EQ(flags.namespaces, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(flags.workers, 2);
  EXPECT_EQ(flags.log_level, log::Level::kDebug);
  EXPECT_EQ(flags.accelerators, std::vector<std::string>{"x.com/npu"});
  EXPECT_EQ(flags_of({"--integration=kueue,native"}).integrations,
            (std::vector<std::string>{"kueue", "native"}));
}

TEST(Flags, ComeFromTheEnvironmentToo) {
  ::setenv("LOCKSTEP_TRAINER_IMAGE", "own:1", 1);
  ::setenv("LOCKSTEP_NAMESPACE", "a,b", 1);
  const Flags flags = flags_of({});
  const Flags overridden = flags_of({"--trainer-image=flag:1"});
  ::unsetenv("LOCKSTEP_TRAINER_IMAGE");
  ::unsetenv("LOCKSTEP_NAMESPACE");
  EXPECT_EQ(flags.trainer_image, "own:1");
  EXPECT_EQ(flags.namespaces, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(overridden.trainer_image, "flag:1");
}

TEST(Flags, NameTheNearestValidFlag) {
  EXPECT_EQ(error_of({"--workrs=3"}), "there is no flag --workrs: did you mean --workers?");
  EXPECT_EQ(error_of({"--kube-config", "x"}),
            "there is no flag --kube-config: did you mean --kubeconfig?");
  EXPECT_EQ(error_of({"--namespace", "a", "b"}), "unexpected argument b: every value needs a flag");
}

TEST(Flags, SayWhichValueIsBad) {
  EXPECT_EQ(error_of({"--workers=0"}), "--workers: Value 0 not in range 1 to 64");
  EXPECT_EQ(error_of({"--log-level=loud"}),
            "--log-level is debug, info, warning or error, not loud");
}

TEST(Flags, AnswerHelpAndVersion) {
  EXPECT_EQ(std::get<Notice>(*parse({"--version"})).text,
            "lockstep-operator " LOCKSTEP_VERSION "\n");
  const std::string help = std::get<Notice>(*parse({"--help"})).text;
  for (const char* flag : {"--kubeconfig", "--namespace", "LOCKSTEP_WORKERS", "0.0.0.0:8080"}) {
    EXPECT_NE(help.find(flag), std::string::npos) << flag;
  }
}

}  // namespace
}  // namespace lockstep
