// Strict reads of JSON fields: a value that makes no sense is refused with a sentence that names
// it. `where` is the path of the object with its dot: "spec.". What is absent reads as the
// fallback.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "operator/base/result.h"

namespace lockstep::strict {

// "spec.numNodes is 0: write ..."
tl::unexpected<Error> refuse(const std::string& where, const nlohmann::json& value,
                             std::string_view advice);

struct Range {
  int low;
  int high;
};

Result<int> integer(const nlohmann::json& object, const std::string& where, const char* key,
                    Range range, int fallback);
Result<std::optional<int>> optional_integer(const nlohmann::json& object, const std::string& where,
                                            const char* key, Range range);
Result<std::string> text(const nlohmann::json& object, const std::string& where, const char* key);
Result<bool> flag(const nlohmann::json& object, const std::string& where, const char* key);
Result<nlohmann::json> object(const nlohmann::json& parent, const std::string& where,
                              const char* key);
Result<nlohmann::json> objects(const nlohmann::json& object, const std::string& where,
                               const char* key);
// Entries that are merged by name need one.
Result<nlohmann::json> named_objects(const nlohmann::json& object, const std::string& where,
                                     const char* key);
Result<std::vector<std::string>> strings(const nlohmann::json& object, const std::string& where,
                                         const char* key);

}  // namespace lockstep::strict
