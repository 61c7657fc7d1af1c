// Can the nodes find node 0 by its name, and does it get its port?
#include <algorithm>
#include <array>
#include <string_view>

#include "operator/api/fields.h"
#include "operator/api/names.h"
#include "operator/plugin/doctor.h"
#include "operator/plugin/last_failure.h"

namespace lockstep {
namespace {

using nlohmann::json;

struct Symptom {
  std::string_view words;  // in the last lines of a program that died
  const char* wrong;
  const char* advice;
};

constexpr std::array kSymptoms = {
    Symptom{"ddress already in use", "the master port was taken",
            "with hostNetwork leave spec.masterPort out, so that each attempt gets one of its own; "
            "else see what else in the image listens on it"},
    Symptom{"EADDRINUSE", "the master port was taken",
            "with hostNetwork leave spec.masterPort out, so that each attempt gets one of its own; "
            "else see what else in the image listens on it"},
    Symptom{"ame or service not known", "the name of node 0 was not found",
            "see whether the cluster's DNS runs: kubectl -n kube-system get pods -l "
            "k8s-app=kube-dns"},
    Symptom{"emporary failure in name resolution", "the name of node 0 was not found",
            "see whether the cluster's DNS runs: kubectl -n kube-system get pods -l "
            "k8s-app=kube-dns"}};

bool is_ours(const TrainingJob& job, const json& service) {
  const auto meta = parse_meta(service);
  return meta && meta->controller_uid == job.meta.uid;
}

bool has_address(const std::vector<json>& slices) {
  return std::any_of(slices.begin(), slices.end(),
                     [](const json& slice) { return !fields::list(slice, "endpoints").empty(); });
}

bool has_pod_address(const std::vector<json>& pods) {
  return std::any_of(pods.begin(), pods.end(), [](const json& pod) {
    return !fields::text(fields::member(pod, "status"), "podIP").empty();
  });
}

void examine_service(const Evidence& seen, Findings& findings) {
  const TrainingJob& job = seen.job;
  if (!seen.services || seen.pods.empty() || job.status.is(names::kNameConflict)) return;
  const bool exists = std::any_of(seen.services->begin(), seen.services->end(),
                                  [&](const json& service) { return is_ours(job, service); });
  if (!exists) {
    findings.push_back({"the nodes cannot find each other: the job's Service is gone",
                        "there is no Service " + job.meta.name + " that the job owns",
                        "the operator makes it anew while it runs; see its log when it does not"});
  } else if (seen.endpoints && has_pod_address(seen.pods) && !has_address(*seen.endpoints)) {
    findings.push_back({"the nodes cannot find each other: DNS has no addresses for the Service",
                        "Service " + job.meta.name +
                            " has no endpoints, although pods have "
                            "addresses",
                        "see whether kube-controller-manager runs, which fills EndpointSlices"});
  }
}

}  // namespace

void examine_network(const Evidence& seen, Time now, Findings& findings) {
  const JobStatus& status = seen.job.status;
  if (!status.is_finished()) examine_service(seen, findings);
  if (!status.last_failure || status.is(names::kRunning) || status.is(names::kComplete)) return;
  for (const Symptom& symptom : kSymptoms) {
    if (status.last_failure->message.find(symptom.words) == std::string::npos) continue;
    findings.push_back({symptom.wrong, headline(*status.last_failure, now), symptom.advice});
    return;
  }
}

}  // namespace lockstep
