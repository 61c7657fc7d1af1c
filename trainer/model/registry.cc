// The table of built-in models.
#include "trainer/model/registry.h"

#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "trainer/nearest.h"
#include "trainer/torch.h"

namespace lockstep {
namespace {

struct Family {
  std::shared_ptr<Model> (*make)(const ModelConfig&, const DataShape&);
  std::optional<SampleKind> takes;  // none: as model.file says, which holds the model
};

const std::map<std::string, Family>& registry() {
  static const std::map<std::string, Family> table = {
      {"char-gpt", {make_char_gpt, SampleKind::kWindows}},
      {"lenet", {make_lenet, SampleKind::kPictures}},
      {"mlp", {make_mlp, SampleKind::kPictures}},
      {"plugin", {make_plugin_model, std::nullopt}},
      {"resnet18", {make_resnet, SampleKind::kPictures}},
      {"resnet34", {make_resnet, SampleKind::kPictures}},
      {"resnet50", {make_resnet, SampleKind::kPictures}},
      {"resnet101", {make_resnet, SampleKind::kPictures}},
      {"resnet152", {make_resnet, SampleKind::kPictures}},
      {"text-classifier", {make_text_classifier, SampleKind::kTexts}},
      {"torchscript", {make_script_model, std::nullopt}}};
  return table;
}

const char* told(SampleKind kind) {
  switch (kind) {
    case SampleKind::kPictures:
      return "pictures or rows of a table";
    case SampleKind::kTexts:
      return "texts with labels";
    case SampleKind::kWindows:
      return "windows of a long text";
  }
  return "";
}

std::vector<std::string> names() {
  std::vector<std::string> names;
  for (const auto& [name, family] : registry()) names.push_back(name);
  return names;
}

void require_file_if_needed(const ModelConfig& config, bool is_in_file) {
  if (is_in_file == !config.file.empty()) return;
  throw std::invalid_argument(
      is_in_file ? "model " + config.name + " is in a file: name it in model.file"
                 : "model.file belongs to model.name plugin or torchscript, not to " + config.name +
                       ", which is built in; weights are model.weights");
}

}  // namespace

void require_kind(const std::string& model, SampleKind takes, const DataShape& shape) {
  if (takes == shape.kind) return;
  throw std::invalid_argument("model " + model + " takes " + told(takes) +
                              ", but data.train holds " + told(shape.kind) +
                              ": choose another model.name or data.train.format");
}

std::shared_ptr<Model> make_model(const ModelConfig& config, const DataShape& shape,
                                  std::uint64_t seed) {
  const auto found = registry().find(config.name);
  if (found == registry().end()) {
    throw std::invalid_argument("model.name is \"" + config.name +
                                "\", which is no model: " + suggestion(config.name, names()));
  }
  const Family& family = found->second;
  require_file_if_needed(config, !family.takes);
  if (family.takes) require_kind(config.name, *family.takes, shape);
  torch::manual_seed(seed);
  return family.make(config, shape);
}

}  // namespace lockstep
