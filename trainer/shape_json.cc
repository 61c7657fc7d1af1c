// One name for each field and each kind.
#include "trainer/shape_json.h"

#include <array>
#include <stdexcept>
#include <string>

namespace lockstep {
namespace {

constexpr std::array kKinds = {"pictures", "texts", "windows"};  // in the order of SampleKind

}  // namespace

nlohmann::json json_of(const DataShape& shape) {
  return {{"kind", kKinds.at(static_cast<std::size_t>(shape.kind))},
          {"channels", shape.channels},
          {"rows", shape.rows},
          {"columns", shape.columns},
          {"vocabulary", shape.vocabulary},
          {"classes", shape.classes}};
}

DataShape shape_in(const nlohmann::json& json) {
  try {
    const auto name = json.at("kind").get<std::string>();
    std::size_t kind = 0;
    while (kind < kKinds.size() && name != kKinds[kind]) ++kind;
    if (kind == kKinds.size()) throw std::invalid_argument("no kind of data is called " + name);
    return {.kind = static_cast<SampleKind>(kind),
            .channels = json.at("channels"),
            .rows = json.at("rows"),
            .columns = json.at("columns"),
            .vocabulary = json.at("vocabulary"),
            .classes = json.at("classes")};
  } catch (const nlohmann::json::exception& error) {
    throw std::invalid_argument(std::string("the shape of the data is incomplete: ") +
                                error.what());
  }
}

}  // namespace lockstep
