// The command line of lockstep-operator.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "operator/base/log.h"
#include "operator/base/result.h"

namespace lockstep {

// Schedulers and queues that a cluster may have beside its own.
inline constexpr const char* kIntegrations[] = {"volcano", "coscheduling", "native", "kueue"};

struct Flags {
  std::string kubeconfig;
  std::string context;
  std::vector<std::string> namespaces;  // empty: all
  std::string trainer_image = "lockstep/trainer:" LOCKSTEP_VERSION;
  std::string launcher_image = "lockstep/operator:" LOCKSTEP_VERSION;
  std::vector<std::string> accelerators;  // besides those known already
  std::vector<std::string> integrations;  // of kIntegrations: whose kinds to look for
  int workers = 4;
  int progress_interval = 5;  // seconds; 0: nobody is asked
  std::string health_address = "0.0.0.0:8080";
  std::string metrics_address;  // empty: with health
  log::Level log_level = log::Level::kInfo;
};

// What --help and --version ask for: to be printed, and then nothing else to be done.
struct Notice {
  std::string text;
};

// Each flag may also come from the environment: --health-address from LOCKSTEP_HEALTH_ADDRESS.
// Errors: kInvalid, one sentence; for an unknown flag it names the nearest valid one.
Result<std::variant<Flags, Notice>> parse_flags(int argc, const char* const* argv);

}  // namespace lockstep
