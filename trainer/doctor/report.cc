// Table, JSON and exit code; see report.h.
#include "trainer/doctor/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "trainer/contract.h"

namespace lockstep {
namespace {

const char* name_of(Mark mark) {
  switch (mark) {
    case Mark::kOk:
      return "ok";
    case Mark::kWarning:
      return "warning";
    default:
      return "bad";
  }
}

std::string counted(std::ptrdiff_t count, const std::string& what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string summary_of(const std::vector<Finding>& findings) {
  const auto bad = std::ranges::count(findings, Mark::kBad, &Finding::mark);
  const std::string warnings =
      counted(std::ranges::count(findings, Mark::kWarning, &Finding::mark), "warning");
  if (bad == 0) return "nothing is bad, " + warnings;
  return fmt::format("{} bad, {}: exit code {}",
                     counted(bad, "check") + (bad == 1 ? " is" : " are"), warnings,
                     exit_code_of(findings));
}

}  // namespace

std::string report_of(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) {
    const std::string mark = finding.mark == Mark::kBad ? "BAD" : name_of(finding.mark);
    text += fmt::format("{:<8} {:<15} {}\n", mark, finding.check, finding.found);
    if (!finding.advice.empty()) text += fmt::format("{:24} -> {}\n", "", finding.advice);
  }
  return text + summary_of(findings) + "\n";
}

std::string json_of(const std::vector<Finding>& findings) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Finding& finding : findings) {
    nlohmann::ordered_json entry = {
        {"mark", name_of(finding.mark)}, {"check", finding.check}, {"found", finding.found}};
    if (!finding.advice.empty()) entry["advice"] = finding.advice;
    entry["exit_code"] = finding.exit_code;
    list.push_back(std::move(entry));
  }
  const nlohmann::ordered_json document = {{"exit_code", exit_code_of(findings)},
                                           {"findings", list}};
  return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

int exit_code_of(const std::vector<Finding>& findings) {
  for (const int code :
       {contract::kExitUsage, contract::kExitBadData, contract::kExitDiverged,
        contract::kExitStorage, contract::kExitInternal, contract::kExitPeerLost}) {
    if (std::ranges::count(findings, code, &Finding::exit_code) > 0) return code;
  }
  return contract::kExitFinished;
}

}  // namespace lockstep
