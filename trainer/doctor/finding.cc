// Makes findings; see finding.h.
#include "trainer/doctor/finding.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace lockstep {

Finding ok(std::string check, std::string found) {
  return {Mark::kOk, std::move(check), std::move(found), "", 0};
}

Finding warning(std::string check, std::string found, std::string advice) {
  return {Mark::kWarning, std::move(check), std::move(found), std::move(advice), 0};
}

Finding bad(std::string check, std::string found, std::string advice, int exit_code) {
  return {Mark::kBad, std::move(check), std::move(found), std::move(advice), exit_code};
}

std::string size_text(std::uint64_t bytes) {
  constexpr std::array kUnits = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < kUnits.size(); ++unit) value /= 1024;
  return fmt::format("{:.{}f} {}", value, unit > 0 && value < 10 ? 1 : 0, kUnits[unit]);
}

}  // namespace lockstep
