// A Workload of Kueue's: what a job asked of its queue, and what Kueue answered.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "operator/api/meta.h"

namespace lockstep {

// Condition types of a Workload, as Kueue calls them.
namespace kueue {
inline constexpr char kQuotaReserved[] = "QuotaReserved";
inline constexpr char kAdmitted[] = "Admitted";
inline constexpr char kEvicted[] = "Evicted";
inline constexpr char kRequeued[] = "Requeued";
inline constexpr char kPodsReady[] = "PodsReady";
inline constexpr char kFinished[] = "Finished";
}  // namespace kueue

struct Workload {
  bool is_active = true;            // spec.active
  nlohmann::json conditions;        // as stored: a change is written with all the others
  nlohmann::json admission;         // status.admission; null while no quota is reserved
  nlohmann::json admission_checks;  // status.admissionChecks

  // The condition of that type; null when there is none.
  const nlohmann::json& condition(std::string_view type) const;
  bool is(std::string_view type) const;  // it exists and is True
  std::string reason(std::string_view type) const;
  std::string message(std::string_view type) const;
};

// Reads a whole object; what is absent reads as empty.
Workload parse_workload(const nlohmann::json& object);

// Sets the one of that type among stored conditions. Its time moves only when its truth does.
void set_condition(nlohmann::json& conditions, const Condition& condition);

}  // namespace lockstep
