// Matching of failure rules.
#include "operator/plan/failure_rules.h"

#include <algorithm>

#include "operator/api/names.h"

namespace lockstep {
namespace {

bool matches(const FailureRule& rule, const LastFailure& failure) {
  const auto has_code = [&](const FailureRule::ExitCodes& codes) {
    return codes.first <= failure.exit_code && failure.exit_code <= codes.last;
  };
  const auto& codes = rule.exit_codes;
  const auto& reasons = rule.reasons;
  return (codes.empty() || std::any_of(codes.begin(), codes.end(), has_code)) &&
         (reasons.empty() ||
          std::find(reasons.begin(), reasons.end(), failure.reason) != reasons.end());
}

}  // namespace

const FailureRule* matching_rule(const std::vector<FailureRule>& rules,
                                 const LastFailure& failure) {
  // Other losses are disruptions: no container failed.
  if (!failure.exit_code && failure.reason != names::kStalled) return nullptr;
  const auto found = std::find_if(rules.begin(), rules.end(),
                                  [&](const FailureRule& rule) { return matches(rule, failure); });
  return found == rules.end() ? nullptr : &*found;
}

}  // namespace lockstep
