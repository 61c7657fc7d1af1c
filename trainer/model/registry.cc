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

using Factory = std::shared_ptr<Model> (*)(const ModelConfig&, ImageShape);

const std::map<std::string, Factory>& registry() {
  static const std::map<std::string, Factory> table = {{"lenet", make_lenet}, {"mlp", make_mlp}};
  return table;
}

}  // namespace

std::shared_ptr<Model> make_model(const ModelConfig& config, ImageShape shape, std::uint64_t seed) {
  const auto found = registry().find(config.name);
  if (found == registry().end()) {
    std::vector<std::string> names;
    for (const auto& [name, factory] : registry()) names.push_back(name);
    throw std::invalid_argument("model.name is \"" + config.name +
                                "\", which is no model: " + suggestion(config.name, names));
  }
  torch::manual_seed(seed);
  return found->second(config, shape);
}

}  // namespace lockstep
