// Reads spec.runPolicy strictly.
#include "operator/api/run_policy.h"

#include <charconv>

#include "operator/api/fields.h"
#include "operator/api/strict.h"

namespace lockstep {
namespace {

using nlohmann::json;
using strict::refuse;

const std::string kWhere = "spec.runPolicy.";
const std::string kRules = "spec.runPolicy.failureRules[].";

constexpr int kYear = 31'536'000;  // seconds
constexpr int kMaxRestarts = 1'000'000;
constexpr int kMaxExitCode = 255;
constexpr std::size_t kMaxRules = 32;

Result<CleanPodPolicy> read_clean_pod_policy(const json& policy) {
  const std::string name = TRY(strict::text(policy, kWhere, "cleanPodPolicy"));
  if (name.empty() || name == "Running") return CleanPodPolicy::kRunning;
  if (name == "All") return CleanPodPolicy::kAll;
  if (name == "None") return CleanPodPolicy::kNone;
  return refuse(kWhere + "cleanPodPolicy", name, "Running, All or None");
}

Result<SuccessPolicy> read_success_policy(const json& policy) {
  const std::string name = TRY(strict::text(policy, kWhere, "successPolicy"));
  if (name.empty() || name == "AllNodes") return SuccessPolicy::kAllNodes;
  if (name == "FirstNode") return SuccessPolicy::kFirstNode;
  return refuse(kWhere + "successPolicy", name, "AllNodes or FirstNode");
}

Result<RestartBackoff> read_restart_backoff(const json& policy) {
  const std::string where = kWhere + "restartBackoff.";
  const json source = TRY(strict::object(policy, kWhere, "restartBackoff"));
  RestartBackoff backoff;
  backoff.initial_seconds =
      TRY(strict::integer(source, where, "initialSeconds", {0, kYear}, backoff.initial_seconds));
  backoff.max_seconds =
      TRY(strict::integer(source, where, "maxSeconds", {0, kYear}, backoff.max_seconds));
  backoff.reset_after_seconds = TRY(
      strict::integer(source, where, "resetAfterSeconds", {1, kYear}, backoff.reset_after_seconds));
  if (backoff.initial_seconds <= backoff.max_seconds) return backoff;
  return refuse(kWhere + "restartBackoff", source,
                "initialSeconds (10 when absent) no larger than maxSeconds (300 when absent)");
}

// The number that `text` is, whole; 0, which is no exit code of a failure, when it is none.
int number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : 0;
}

// 71 or "64-66".
Result<FailureRule::ExitCodes> read_exit_codes(const json& entry) {
  FailureRule::ExitCodes codes;
  if (entry.is_number_integer() && entry >= 1 && entry <= kMaxExitCode) {
    codes.first = codes.last = entry.get<int>();
  } else if (entry.is_string()) {
    const std::string_view text = entry.get_ref<const std::string&>();
    const std::size_t dash = std::min(text.find('-'), text.size());
    codes.first = number(text.substr(0, dash));
    codes.last = number(text.substr(std::min(dash + 1, text.size())));
  }
  if (1 <= codes.first && codes.first <= codes.last && codes.last <= kMaxExitCode) return codes;
  return refuse(kRules + "exitCodes[]", entry,
                "a whole number from 1 to 255, or a range of them such as \"64-66\"");
}

Result<FailureAction> read_action(const json& rule) {
  const std::string name = TRY(strict::text(rule, kRules, "action"));
  if (name == "Restart") return FailureAction::kRestart;
  if (name == "RestartWithoutCounting") return FailureAction::kRestartWithoutCounting;
  if (name == "Fail") return FailureAction::kFail;
  return refuse(kRules + "action", name, "Restart, RestartWithoutCounting or Fail");
}

Result<FailureRule> read_failure_rule(const json& source) {
  FailureRule rule;
  const json& codes = fields::member(source, "exitCodes");
  if (!codes.is_null() && !codes.is_array()) {
    return refuse(kRules + "exitCodes", codes, "a list, such as [\"64-66\", 71]");
  }
  for (const json& entry : codes) rule.exit_codes.push_back(TRY(read_exit_codes(entry)));
  rule.reasons = TRY(strict::strings(source, kRules, "reasons"));
  rule.action = TRY(read_action(source));
  if (!rule.exit_codes.empty() || !rule.reasons.empty()) return rule;
  return refuse(kWhere + "failureRules[]", source, "exitCodes, reasons or both");
}

Result<std::vector<FailureRule>> read_failure_rules(const json& policy) {
  std::vector<FailureRule> rules;
  for (const json& entry : TRY(strict::objects(policy, kWhere, "failureRules"))) {
    rules.push_back(TRY(read_failure_rule(entry)));
  }
  if (rules.size() <= kMaxRules) return rules;
  return refuse(kWhere + "failureRules", fields::member(policy, "failureRules"),
                "at most 32 rules");
}

}  // namespace

Result<RunPolicy> parse_run_policy(const json& spec) {
  const json source = TRY(strict::object(spec, "spec.", "runPolicy"));
  const auto limit = [&](const char* key, strict::Range range) {
    return strict::optional_integer(source, kWhere, key, range);
  };
  RunPolicy policy;
  policy.is_suspended = TRY(strict::flag(source, kWhere, "suspend"));
  policy.managed_by = TRY(strict::text(source, kWhere, "managedBy"));
  policy.backoff_limit =
      TRY(limit("backoffLimit", {0, kMaxRestarts})).value_or(policy.backoff_limit);
  policy.disruption_limit = TRY(limit("disruptionLimit", {0, kMaxRestarts}));
  policy.restart_backoff = TRY(read_restart_backoff(source));
  policy.failure_rules = TRY(read_failure_rules(source));
  policy.success_policy = TRY(read_success_policy(source));
  policy.success_grace_seconds =
      TRY(limit("successGraceSeconds", {0, kYear})).value_or(policy.success_grace_seconds);
  policy.active_deadline_seconds = TRY(limit("activeDeadlineSeconds", {1, kYear}));
  policy.startup_deadline_seconds =
      TRY(limit("startupDeadlineSeconds", {1, kYear})).value_or(policy.startup_deadline_seconds);
  policy.stall_timeout_seconds = TRY(limit("stallTimeoutSeconds", {1, kYear}));
  policy.pod_termination_timeout_seconds = TRY(limit("podTerminationTimeoutSeconds", {1, kYear}))
                                               .value_or(policy.pod_termination_timeout_seconds);
  policy.clean_pod_policy = TRY(read_clean_pod_policy(source));
  policy.ttl_seconds_after_finished = TRY(limit("ttlSecondsAfterFinished", {0, kYear}));
  return policy;
}

}  // namespace lockstep
