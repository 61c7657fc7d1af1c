// The table of built-in models.
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "trainer/model/model.h"
#include "trainer/nearest.h"
#include "trainer/torch.h"

namespace lockstep {
namespace {

struct Family {
  std::shared_ptr<Model> (*make)(const ModelConfig&, const DataShape&);
  SampleKind takes;
};

const std::map<std::string, Family>& registry() {
  static const std::map<std::string, Family> table = {
      {"char-gpt", {make_char_gpt, SampleKind::kWindows}},
      {"lenet", {make_lenet, SampleKind::kPictures}},
      {"mlp", {make_mlp, SampleKind::kPictures}},
      {"resnet18", {make_resnet, SampleKind::kPictures}},
      {"resnet34", {make_resnet, SampleKind::kPictures}},
      {"resnet50", {make_resnet, SampleKind::kPictures}},
      {"resnet101", {make_resnet, SampleKind::kPictures}},
      {"resnet152", {make_resnet, SampleKind::kPictures}},
      {"text-classifier", {make_text_classifier, SampleKind::kTexts}}};
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

}  // namespace

std::shared_ptr<Model> make_model(const ModelConfig& config, const DataShape& shape,
                                  std::uint64_t seed) {
  const auto found = registry().find(config.name);
  if (found == registry().end()) {
    throw std::invalid_argument("model.name is \"" + config.name +
                                "\", which is no model: " + suggestion(config.name, names()));
  }
  if (found->second.takes != shape.kind) {
    throw std::invalid_argument("model " + config.name + " takes " + told(found->second.takes) +
                                ", but data.train holds " + told(shape.kind) +
                                ": choose another model.name or data.train.format");
  }
  torch::manual_seed(seed);
  return found->second.make(config, shape);
}

}  // namespace lockstep
