// What the cluster in memory reads in its pods.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace lockstep {

inline int number_label(const nlohmann::json& pod, const char* name) {
  return std::stoi(pod.at("metadata").at("labels").at(name).get<std::string>());
}

// Empty: nobody.
inline std::string uid_of_owner(const nlohmann::json& object) {
  const nlohmann::json& metadata = object.at("metadata");
  if (!metadata.contains("ownerReferences")) return "";
  return metadata["ownerReferences"][0]["uid"];
}

}  // namespace lockstep
