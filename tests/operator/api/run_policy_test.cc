// Run policies: defaults, and a sentence for each value that makes no sense.
#include "operator/api/run_policy.h"

#include <gmock/gmock.h>

#include "tests/support/spec.h"

namespace lockstep {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> faults_of(const json& policy) {
  Faults faults;
  parse_run_policy({{"runPolicy", policy}}, faults);
  return faults.sentences();
}

TEST(RunPolicy, HasTheDocumentedDefaults) {
  const RunPolicy policy = spec_of("{}").run_policy;
  EXPECT_EQ(policy.backoff_limit, 3);
  EXPECT_EQ(policy.disruption_limit, std::nullopt) << "unbounded";
  EXPECT_EQ(policy.restart_backoff.initial_seconds, 10);
  EXPECT_EQ(policy.restart_backoff.max_seconds, 300);
  EXPECT_EQ(policy.restart_backoff.reset_after_seconds, 600);
  EXPECT_THAT(policy.failure_rules, IsEmpty());
  EXPECT_EQ(policy.success_policy, SuccessPolicy::kAllNodes);
  EXPECT_EQ(policy.success_grace_seconds, 30);
  EXPECT_EQ(policy.active_deadline_seconds, std::nullopt);
  EXPECT_EQ(policy.startup_deadline_seconds, 1800);
  EXPECT_EQ(policy.pod_termination_timeout_seconds, 120);
  EXPECT_EQ(policy.ttl_seconds_after_finished, std::nullopt) << "kept for ever";
}

TEST(RunPolicy, IsReadWhole) {
  const RunPolicy policy = spec_of(R"({"runPolicy": {
    "disruptionLimit": 0, "restartBackoff": {"initialSeconds": 5, "maxSeconds": 60},
    "failureRules": [{"exitCodes": ["64-66", 71], "reasons": ["OOMKilled"], "action": "Fail"},
                     {"exitCodes": [3], "action": "RestartWithoutCounting"}],
    "successPolicy": "FirstNode", "successGraceSeconds": 0, "activeDeadlineSeconds": 3600,
    "podTerminationTimeoutSeconds": 30, "ttlSecondsAfterFinished": 0}})")
                               .run_policy;
  EXPECT_EQ(policy.disruption_limit, 0);
  EXPECT_EQ(policy.restart_backoff.initial_seconds, 5);
  EXPECT_EQ(policy.restart_backoff.max_seconds, 60);
  EXPECT_EQ(policy.restart_backoff.reset_after_seconds, 600);
  ASSERT_EQ(policy.failure_rules.size(), 2u);
  EXPECT_THAT(policy.failure_rules[0].exit_codes,
              ElementsAre(FailureRule::ExitCodes{64, 66}, FailureRule::ExitCodes{71, 71}));
  EXPECT_THAT(policy.failure_rules[0].reasons, ElementsAre("OOMKilled"));
  EXPECT_EQ(policy.failure_rules[0].action, FailureAction::kFail);
  EXPECT_EQ(policy.failure_rules[1].action, FailureAction::kRestartWithoutCounting);
  EXPECT_EQ(policy.success_policy, SuccessPolicy::kFirstNode);
  EXPECT_EQ(policy.success_grace_seconds, 0);
  EXPECT_EQ(policy.active_deadline_seconds, 3600);
  EXPECT_EQ(policy.pod_termination_timeout_seconds, 30);
  EXPECT_EQ(policy.ttl_seconds_after_finished, 0);
}

TEST(RunPolicy, RefusesWhatMakesNoSenseInOneSentence) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"disruptionLimit": -1})", "spec.runPolicy.disruptionLimit is -1: write a whole number"},
      {R"({"restartBackoff": 10})", "spec.runPolicy.restartBackoff is 10: write an object"},
      {R"({"restartBackoff": {"resetAfterSeconds": 0}})", "restartBackoff.resetAfterSeconds is 0"},
      {R"({"restartBackoff": {"initialSeconds": 301}})", "no larger than maxSeconds"},
      {R"({"restartBackoff": {"maxSeconds": 9}})", "initialSeconds (10 when absent)"},
      {R"({"failureRules": {}})", "spec.runPolicy.failureRules is {}: write a list of objects"},
      {R"({"failureRules": [{"action": "Fail"}]})", "write exitCodes, reasons or both"},
      {R"({"failureRules": [{"exitCodes": [1]}]})",
       "write Restart, RestartWithoutCounting or Fail"},
      {R"({"failureRules": [{"exitCodes": 1, "action": "Fail"}]})", "exitCodes is 1: write a list"},
      {R"({"successPolicy": "Any"})", "spec.runPolicy.successPolicy is \"Any\": write AllNodes or"},
      {R"({"successPolicy": "FirstNode", "successGraceSeconds": -1})",
       "spec.runPolicy.successGraceSeconds is -1"},
      {R"({"successGraceSeconds": 30})", "write successPolicy FirstNode beside it"},
      {R"({"activeDeadlineSeconds": 0})", "spec.runPolicy.activeDeadlineSeconds is 0"},
      {R"({"podTerminationTimeoutSeconds": 0})",
       "spec.runPolicy.podTerminationTimeoutSeconds is 0"},
      {R"({"ttlSecondsAfterFinished": "1h"})", "spec.runPolicy.ttlSecondsAfterFinished is \"1h\""}};
  for (const auto& [policy, sentence] : cases) {
    EXPECT_THAT(faults_of(json::parse(policy)), ElementsAre(HasSubstr(sentence))) << policy;
  }
}

TEST(RunPolicy, RefusesExitCodesThatNoFailedContainerHas) {
  for (const char* code :
       {"0", "256", "-1", "1.5", "true", R"("71")", R"("a-b")", R"("66-64")", R"("0-3")",
        R"("250-256")", R"("64-")", R"("-66")", R"("")", R"("1-2-3")"}) {
    const json rule = {{"exitCodes", json::array({json::parse(code)})}, {"action", "Fail"}};
    EXPECT_THAT(faults_of({{"failureRules", json::array({rule})}}),
                ElementsAre(HasSubstr("failureRules[].exitCodes[] is ")))
        << code;
  }
}

TEST(RunPolicy, TakesThirtyTwoFailureRulesAndNoMore) {
  const json rule = {{"reasons", {"OOMKilled"}}, {"action", "Fail"}};
  EXPECT_THAT(faults_of({{"failureRules", json(32, rule)}}), IsEmpty());
  EXPECT_THAT(faults_of({{"failureRules", json(33, rule)}}),
              ElementsAre(HasSubstr("write at most 32 rules")));
}

TEST(RunPolicy, TakesReasonsInTheLettersOfTheirKubelet) {
  const auto faults = [](const char* reason) {
    return faults_of({{"failureRules", {{{"reasons", {reason}}, {"action", "Fail"}}}}});
  };
  for (const char* reason : {"OOMKilled", "Error", "StartError", "Hang", "ErrorOfOurs"}) {
    EXPECT_THAT(faults(reason), IsEmpty()) << reason;
  }
  for (const char* reason : {"oomkilled", "OomKilled", "ERROR", "hang", "", "-x"}) {
    EXPECT_THAT(faults(reason), ElementsAre(HasSubstr("in the letters that kubectl shows")))
        << reason;
  }
}

}  // namespace
}  // namespace lockstep
