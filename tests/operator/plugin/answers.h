// Answers of a real API server to kubectl get -o json, kept in answers/: eight jobs in as many
// states, and an instant shortly after they were taken.
#pragma once

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "operator/api/training_job.h"
#include "operator/plugin/answer.h"
#include "tests/support/temporary_directory.h"

namespace lockstep {

inline const Time kAsked = *parse_time("2026-11-30T16:49:30Z");

inline nlohmann::json answer(const std::string& name) {
  return parse_printable(testing::content_of(std::string(LOCKSTEP_ANSWERS) + "/" + name + ".json"));
}

inline std::vector<nlohmann::json> items_of(const std::string& name) {
  return answer(name)["items"].get<std::vector<nlohmann::json>>();
}

inline nlohmann::json job_object(const std::string& name) {
  for (nlohmann::json& each : items_of("jobs")) {
    if (each["metadata"]["name"] == name) return each;
  }
  throw std::runtime_error("no answer about " + name);
}

inline TrainingJob parsed(const nlohmann::json& object) { return *parse_training_job(object); }

// With `change` merged over the object.
inline TrainingJob job_of(const std::string& name, const nlohmann::json& change = {}) {
  nlohmann::json object = job_object(name);
  if (change.is_object()) object.merge_patch(change);
  return parsed(object);
}

inline std::vector<nlohmann::json> pods_of(const std::string& job) {
  std::vector<nlohmann::json> pods;
  for (nlohmann::json& each : items_of("pods")) {
    if (each["metadata"]["labels"]["lockstep.dev/job-name"] == job) pods.push_back(each);
  }
  return pods;
}

}  // namespace lockstep
