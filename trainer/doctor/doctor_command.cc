// The checks in the order of the table.
#include "trainer/doctor/doctor_command.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <stdexcept>

#include "trainer/contract.h"
#include "trainer/doctor/device.h"
#include "trainer/doctor/limits.h"
#include "trainer/doctor/network.h"
#include "trainer/doctor/report.h"
#include "trainer/doctor/storage.h"
#include "trainer/doctor/training.h"
#include "trainer/launch/cpu_quota.h"
#include "trainer/launch/memory_limit.h"
#include "trainer/log_line.h"
#include "trainer/torch.h"

namespace lockstep {
namespace {

using Findings = std::vector<Finding>;

void append(Findings& findings, Findings more) {
  std::ranges::move(more, std::back_inserter(findings));
}

// A pod has no RANK, which the launcher makes, but knows the first of its node.
Environment as_first_of_node(const Environment& environment) {
  return [environment](const char* name) {
    const auto value = environment(name);
    const bool is_rank = std::string_view(name) == contract::kRank;
    return !value && is_rank ? environment(contract::kRankOffset) : value;
  };
}

Place look_at_place(const Environment& environment, Findings& findings) {
  const std::string check = "ranks";
  try {
    const Place place = place_in(as_first_of_node(environment));
    findings.push_back(ok(check, "this is rank " + std::to_string(place.rank) + " of " +
                                     std::to_string(place.world_size)));
    return place;
  } catch (const std::invalid_argument& error) {
    findings.push_back(
        bad(check, error.what(), "Correct the environment as it says.", contract::kExitUsage));
    return {};
  }
}

// Ranks that share this container.
int processes_of(const Environment& environment, const Place& place) {
  const std::string text = environment(contract::kLocalWorldSize).value_or("1");
  int count = 1;
  std::from_chars(text.data(), text.data() + text.size(), count);
  return std::clamp(count, 1, std::max(1, place.world_size));
}

MemoryFacts memory_facts(const Config& config, const Sizes& sizes, int processes, bool on_device) {
  MemoryFacts facts{.limit = cgroup_memory_limit(),
                    .machine = machine_memory(),
                    .processes = processes,
                    .program = sizes.program};
  const auto ahead = static_cast<std::uint64_t>(config.data.threads * config.data.ahead + 2);
  facts.batches = sizes.batch * ahead;
  const bool copies = !config.checkpoint.directory.empty() && config.checkpoint.asynchronous;
  if (copies) facts.snapshot = sizes.model + sizes.optimizer;
  if (on_device) return facts;
  facts.model = sizes.model + sizes.gradients;
  facts.optimizer = sizes.optimizer;
  return facts;
}

Findings limit_findings(const Config& config, const Environment& environment, const Place& place,
                        const Devices& devices, const Sizes& sizes) {
  const int processes = processes_of(environment, place);
  SharedMemoryFacts shared = look_at_shared_memory();
  shared.processes = processes;
  shared.is_needed = devices.uses_nccl && processes > 1;
  return {check_threads({.cpus = usable_cpus(),
                         .processes = processes,
                         .compute_threads = at::get_num_threads(),
                         .is_set_by_user = environment("OMP_NUM_THREADS").has_value()}),
          check_memory(memory_facts(config, sizes, processes, devices.uses_nccl)),
          check_shared_memory(shared),
          check_open_files({.limit = open_files_limit(),
                            .world_size = place.world_size,
                            .loader_threads = config.data.threads})};
}

Findings checkpoint_findings(const Config& config, const Place& place, const Sizes& sizes) {
  const CheckpointConfig& checkpoint = config.checkpoint;
  const Time now = Time::clock::now();
  if (checkpoint.directory.empty()) {
    return {check_clock(now, std::nullopt),
            warning("checkpoints", "there is no directory for them: a restart begins at step 0",
                    "Set checkpoint.directory or CHECKPOINT_DIR to a volume that outlives the "
                    "process.")};
  }
  if (place.rank > 0) {
    return {check_clock(now, std::nullopt),
            ok("checkpoints", "rank 0 alone reads and writes them")};
  }
  StorageProbe probe = probe_storage(checkpoint.directory);
  const bool is_usable = probe.finding.mark != Mark::kBad;
  Findings findings = {check_clock(now, probe.time), std::move(probe.finding)};
  const auto free = free_space(checkpoint.directory);
  if (free && sizes.model > 0) {
    findings.push_back(
        check_space({.free = *free,
                     .checkpoint = sizes.model + sizes.optimizer,
                     .most = checkpoint.keep + 1 + (checkpoint.best == "none" ? 0 : 1),
                     .present = checkpoints_in(checkpoint.directory)}));
  }
  if (is_usable) findings.push_back(check_owner(owner_of(checkpoint.directory), place));
  return findings;
}

}  // namespace

std::vector<Finding> examine(const Config& config, const Environment& environment) {
  Findings findings;
  const Place place = look_at_place(environment, findings);
  const bool is_placed = findings.back().mark == Mark::kOk;  // else rank 0 is not known
  const Devices devices = look_at_devices(config, place);
  TrainingFacts training = look_at_training(config, place);
  append(findings, devices.findings);
  append(findings, limit_findings(config, environment, place, devices, training.sizes));
  const auto patience = place.job_uid.empty() ? std::chrono::seconds(0) : place.startup;
  if (is_placed) append(findings, network_findings(place, patience));
  append(findings, checkpoint_findings(config, place, training.sizes));
  append(findings, std::move(training.findings));
  return findings;
}

int run_doctor(const Config& config, bool as_json) {
  const Findings findings = examine(config, variable);
  log_line(as_json ? json_of(findings) : report_of(findings));
  return exit_code_of(findings);
}

}  // namespace lockstep
