// The master's address and port.
#include "operator/plan/master.h"

#include "operator/api/fields.h"
#include "operator/plan/hash.h"
#include "operator/plan/ownership.h"
#include "trainer/contract.h"

namespace lockstep {
namespace {

// Below Kubernetes' node ports (from 30000) and Linux' ephemeral ports (from 32768).
constexpr int kFirstHostPort = 20000;
constexpr int kHostPorts = 10000;

bool uses_host_network(const JobSpec& spec) {
  return fields::flag(fields::member(spec.pod_template, "spec"), "hostNetwork");
}

}  // namespace

std::string master_address(const TrainingJob& job) {
  return pod_name(job, 0) + "." + job.meta.name + "." + job.meta.namespace_ + ".svc";
}

int master_port(const TrainingJob& job) {
  if (job.spec.master_port) return *job.spec.master_port;
  if (!uses_host_network(job.spec)) return contract::kDefaultMasterPort;
  // A pod made late, by another operator, has to agree.
  const std::string seed = job.meta.uid + "/" + std::to_string(job.status.attempt);
  return kFirstHostPort + static_cast<int>(stable_hash(seed) % kHostPorts);
}

}  // namespace lockstep
