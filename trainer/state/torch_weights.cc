// Matches names, then shapes, then copies: all or nothing.
#include "trainer/state/torch_weights.h"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

#include "trainer/state/torch_tensors.h"
#include "trainer/state/weights_file.h"
#include "trainer/torch.h"

namespace lockstep {
namespace {

constexpr std::string_view kWrapper = "module.";

using Records = std::map<std::string, const TensorRecord*>;

Records records_by_name(const WeightsFile& file) {
  const auto& tensors = file.tensors();
  const bool is_wrapped = std::ranges::all_of(
      tensors, [](const TensorRecord& record) { return record.name.starts_with(kWrapper); });
  Records records;
  for (const TensorRecord& record : tensors) {
    records[is_wrapped ? record.name.substr(kWrapper.size()) : record.name] = &record;
  }
  return records;
}

std::set<std::string> head_of(const torch::nn::Module& module) {
  const auto parameters = module.named_parameters();
  std::set<std::string> names;
  for (std::size_t i = parameters.size(); i > 0 && names.size() < 2; --i) {
    names.insert(parameters[i - 1].key());
  }
  return names;
}

// What does not fit, by kind.
class Faults {
 public:
  void add(const std::string& kind, const std::string& name) { names_[kind].push_back(name); }

  void throw_if_any(const std::string& origin) const {
    if (names_.empty()) return;
    std::string text;
    for (const auto& [kind, names] : names_) text += (text.empty() ? "" : "; ") + told(kind, names);
    throw std::invalid_argument(origin + " does not fit the model: " + text);
  }

 private:
  static std::string told(const std::string& kind, const std::vector<std::string>& names) {
    constexpr std::size_t kMost = 3;
    std::string text = kind;
    for (std::size_t i = 0; i < std::min(names.size(), kMost); ++i) {
      text += (i == 0 ? " " : ", ") + names[i];
    }
    return names.size() > kMost ? text + " and " + std::to_string(names.size() - kMost) + " more"
                                : text;
  }

  std::map<std::string, std::vector<std::string>> names_;
};

}  // namespace

void load_weights(const std::filesystem::path& path, torch::nn::Module& module, bool has_new_head) {
  const WeightsFile file = WeightsFile::read(path);
  const Records records = records_by_name(file);
  const std::set<std::string> head = has_new_head ? head_of(module) : std::set<std::string>{};
  std::set<std::string> known;
  std::vector<std::pair<const TensorRecord*, at::Tensor>> copies;
  Faults faults;
  for (const auto& [name, tensor] : tensors_of(module)) {
    known.insert(name);
    const auto found = records.find(name);
    const bool fits = found != records.end() && is_like(*found->second, tensor);
    if (fits) copies.emplace_back(found->second, tensor);
    if (fits || head.contains(name)) continue;
    if (found == records.end()) faults.add("it lacks", name);
    if (found != records.end()) faults.add("of another shape or type are", name);
  }
  for (const auto& [name, record] : records) {
    if (!known.contains(name)) faults.add("the model has no", name);
  }
  faults.throw_if_any("model.weights " + path.string());
  for (const auto& [record, tensor] : copies) copy(*record, tensor);
}

}  // namespace lockstep
