// kubectl lockstep doctor: why a job does not run. Pure.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "operator/api/training_job.h"
#include "operator/plugin/table.h"

namespace lockstep {

// All that was read about one job. What could not be read is in `unread`, and is not judged.
struct Evidence {
  TrainingJob job;
  std::vector<nlohmann::json> pods;                      // of the attempt under way, by node rank
  std::vector<nlohmann::json> earlier_pods;              // of attempts before, that still end
  std::optional<std::vector<nlohmann::json>> machines;   // the Nodes of the cluster
  std::optional<std::vector<nlohmann::json>> claims;     // PersistentVolumeClaims of the namespace
  std::optional<std::vector<nlohmann::json>> services;   // of that job's name
  std::optional<std::vector<nlohmann::json>> endpoints;  // EndpointSlices of that Service
  std::optional<std::vector<nlohmann::json>> operators;  // Deployments of the operator
  std::vector<nlohmann::json> events;      // about the namespace's pods and claims, by age
  std::optional<nlohmann::json> workload;  // of Kueue
  std::vector<std::string> unread;         // sentences
};

struct Finding {
  std::string wrong;     // what is wrong
  std::string evidence;  // who says so, in their words
  std::string advice;    // what to do
};

// Rooms of the diagnosis, each in a file of its own. They add what they find.
using Findings = std::vector<Finding>;
void examine_operator(const Evidence& seen, Time now, Findings& findings);
void examine_job(const Evidence& seen, Time now, Findings& findings);
void examine_storage(const Evidence& seen, Findings& findings);
void examine_pods(const Evidence& seen, Time now, Findings& findings);
void examine_network(const Evidence& seen, Time now, Findings& findings);

// Causes before what follows from them.
Findings diagnose(const Evidence& seen, Time now);

// Numbered findings, or that nothing is wrong; then what could not be read.
std::string doctors_report(const Evidence& seen, const Findings& findings, Time now,
                           const Paint& paint = {});
std::string findings_text(const Findings& findings, const Paint& paint = {});

// Findings about a cluster or a job that cannot even be read.
Finding about_unreadable(const Error& error);
Finding about_unknown_job(const std::string& name, const std::string& namespace_,
                          const std::vector<std::string>& jobs);

}  // namespace lockstep
