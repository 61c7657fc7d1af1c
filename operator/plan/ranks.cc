// Rank arithmetic.
#include "operator/plan/ranks.h"

#include <algorithm>
#include <charconv>

#include "operator/api/fields.h"

namespace lockstep {
namespace {

bool matches(std::string_view name, std::string_view pattern) {
  if (!pattern.ends_with('*')) return name == pattern;
  return name.starts_with(pattern.substr(0, pattern.size() - 1));
}

// Extended resources are whole numbers, as a JSON number or string.
int whole_quantity(const nlohmann::json& quantity) {
  int count = 0;
  if (quantity.is_number_integer()) {
    count = static_cast<int>(std::clamp<std::int64_t>(quantity.get<std::int64_t>(), 0, 1 << 20));
  } else if (quantity.is_string()) {
    const auto& text = quantity.get_ref<const std::string&>();
    std::from_chars(text.data(), text.data() + text.size(), count);
  }
  return std::clamp(count, 0, kMaxProcPerNode);
}

}  // namespace

int count_accelerators(const nlohmann::json& container, const std::vector<std::string>& patterns) {
  const nlohmann::json& limits = fields::member(fields::member(container, "resources"), "limits");
  if (!limits.is_object()) return 0;
  int count = 0;
  for (const auto& [name, quantity] : limits.items()) {
    const bool is_accelerator =
        std::any_of(patterns.begin(), patterns.end(),
                    [&name = name](const std::string& pattern) { return matches(name, pattern); });
    if (is_accelerator) count += whole_quantity(quantity);
  }
  return count;
}

Ranks ranks_of(const JobSpec& spec, const nlohmann::json& trainer,
               const std::vector<std::string>& accelerators) {
  const int automatic = std::clamp(count_accelerators(trainer, accelerators), 1, kMaxProcPerNode);
  return {.num_nodes = spec.num_nodes, .proc_per_node = spec.proc_per_node.value_or(automatic)};
}

}  // namespace lockstep
