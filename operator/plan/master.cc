// The master's address and port.
#include "operator/plan/master.h"

#include <cstdint>

#include "operator/api/fields.h"
#include "operator/plan/ownership.h"
#include "trainer/contract.h"

namespace lockstep {
namespace {

// Below Kubernetes' node ports (from 30000) and Linux' ephemeral ports (from 32768).
constexpr int kFirstHostPort = 20000;
constexpr int kHostPorts = 10000;

// FNV-1a: the same on every machine and in every version, so that a pod made late agrees.
std::uint32_t hash(const std::string& text) {
  std::uint32_t value = 2166136261u;
  for (const unsigned char byte : text) value = (value ^ byte) * 16777619u;
  return value;
}

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
  const std::string seed = job.meta.uid + "/" + std::to_string(job.status.attempt);
  return kFirstHostPort + static_cast<int>(hash(seed) % kHostPorts);
}

}  // namespace lockstep
