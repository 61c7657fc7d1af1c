// Reads spec.runPolicy strictly.
#include "operator/api/run_policy.h"

#include <algorithm>
#include <cctype>
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

// Of a container that has ended, by the kubelet and the runtimes.
constexpr std::string_view kContainerReasons[] = {"OOMKilled", "Error", "StartError",
                                                  "ContainerCannotRun", "ContainerStatusUnknown"};

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

Result<void> check_backoff(const RestartBackoff& backoff, const json& source) {
  if (backoff.initial_seconds <= backoff.max_seconds) return {};
  return refuse(kWhere + "restartBackoff", source,
                "initialSeconds (10 when absent) no larger than maxSeconds (300 when absent)");
}

RestartBackoff read_restart_backoff(const json& policy, Faults& faults) {
  const std::string where = kWhere + "restartBackoff.";
  const json source = faults.take(strict::object(policy, kWhere, "restartBackoff"));
  const auto seconds = [&](const char* key, int least, int when_absent) {
    return strict::integer(source, where, key, {least, kYear}, when_absent);
  };
  RestartBackoff backoff;
  backoff.initial_seconds = faults.take(seconds("initialSeconds", 0, backoff.initial_seconds), 0);
  backoff.max_seconds = faults.take(seconds("maxSeconds", 0, backoff.max_seconds), kYear);
  backoff.reset_after_seconds =
      faults.take(seconds("resetAfterSeconds", 1, backoff.reset_after_seconds));
  faults.note(check_backoff(backoff, source));
  return backoff;
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

Result<json> read_list_of_codes(const json& rule) {
  const json& codes = fields::member(rule, "exitCodes");
  if (codes.is_null()) return json::array();
  if (codes.is_array()) return codes;
  return refuse(kRules + "exitCodes", codes, "a list, such as [\"64-66\", 71]");
}

bool is_same_in_other_letters(std::string_view a, std::string_view b) {
  const auto lower = [](unsigned char c) { return std::tolower(c); };
  return a != b && std::equal(a.begin(), a.end(), b.begin(), b.end(),
                              [&](char x, char y) { return lower(x) == lower(y); });
}

// One in other letters would never match.
Result<void> check_reason(const std::string& reason) {
  const bool begins_well = !reason.empty() && 'A' <= reason.front() && reason.front() <= 'Z';
  const bool is_misspelt =
      std::any_of(std::begin(kContainerReasons), std::end(kContainerReasons),
                  [&](std::string_view known) { return is_same_in_other_letters(known, reason); });
  if (begins_well && !is_misspelt) return {};
  return refuse(kRules + "reasons[]", reason,
                "the reason in the letters that kubectl shows, such as OOMKilled or Error");
}

Result<void> check_has_condition(const json& rule) {
  for (const char* key : {"exitCodes", "reasons"}) {
    const json& condition = fields::member(rule, key);
    if (!condition.is_null() && condition != json::array()) return {};
  }
  return refuse(kWhere + "failureRules[]", rule, "exitCodes, reasons or both");
}

FailureRule read_failure_rule(const json& source, Faults& faults) {
  FailureRule rule;
  for (const json& entry : faults.take(read_list_of_codes(source))) {
    rule.exit_codes.push_back(faults.take(read_exit_codes(entry)));
  }
  rule.reasons = faults.take(strict::strings(source, kRules, "reasons"));
  for (const std::string& reason : rule.reasons) faults.note(check_reason(reason));
  rule.action = faults.take(read_action(source));
  faults.note(check_has_condition(source));
  return rule;
}

std::vector<FailureRule> read_failure_rules(const json& policy, Faults& faults) {
  std::vector<FailureRule> rules;
  const json source = faults.take(strict::objects(policy, kWhere, "failureRules"));
  if (source.size() > kMaxRules) {
    faults.note(refuse(kWhere + "failureRules", source, "at most 32 rules"));
  }
  for (const json& entry : source) rules.push_back(read_failure_rule(entry, faults));
  return rules;
}

// FirstNode's time would never come.
Result<void> check_success(const RunPolicy& policy, const json& source) {
  const bool has_time = !fields::member(source, "successGraceSeconds").is_null();
  if (!has_time || policy.success_policy == SuccessPolicy::kFirstNode) return {};
  return failure(Kind::kInvalid, kWhere +
                                     "successGraceSeconds: the time is for FirstNode, so write "
                                     "successPolicy FirstNode beside it, or leave it out");
}

}  // namespace

RunPolicy parse_run_policy(const json& spec, Faults& faults) {
  const json source = faults.take(strict::object(spec, "spec.", "runPolicy"));
  const auto limit = [&](const char* key, strict::Range range) {
    return strict::optional_integer(source, kWhere, key, range);
  };
  RunPolicy policy;
  policy.is_suspended = faults.take(strict::flag(source, kWhere, "suspend"));
  policy.managed_by = faults.take(strict::text(source, kWhere, "managedBy"));
  policy.backoff_limit =
      faults.take(limit("backoffLimit", {0, kMaxRestarts})).value_or(policy.backoff_limit);
  policy.disruption_limit = faults.take(limit("disruptionLimit", {0, kMaxRestarts}));
  policy.restart_backoff = read_restart_backoff(source, faults);
  policy.failure_rules = read_failure_rules(source, faults);
  policy.success_policy = faults.take(read_success_policy(source), SuccessPolicy::kFirstNode);
  policy.success_grace_seconds =
      faults.take(limit("successGraceSeconds", {0, kYear})).value_or(policy.success_grace_seconds);
  policy.active_deadline_seconds = faults.take(limit("activeDeadlineSeconds", {1, kYear}));
  policy.startup_deadline_seconds = faults.take(limit("startupDeadlineSeconds", {1, kYear}))
                                        .value_or(policy.startup_deadline_seconds);
  policy.stall_timeout_seconds = faults.take(limit("stallTimeoutSeconds", {1, kYear}));
  policy.pod_termination_timeout_seconds =
      faults.take(limit("podTerminationTimeoutSeconds", {1, kYear}))
          .value_or(policy.pod_termination_timeout_seconds);
  policy.clean_pod_policy = faults.take(read_clean_pod_policy(source));
  policy.ttl_seconds_after_finished = faults.take(limit("ttlSecondsAfterFinished", {0, kYear}));
  faults.note(check_success(policy, source));
  return policy;
}

}  // namespace lockstep
