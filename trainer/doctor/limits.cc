// One function a limit; see limits.h.
#include "trainer/doctor/limits.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cmath>

#include "trainer/contract.h"

namespace lockstep {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

// NCCL's rings between processes of one machine; less ends in "unhandled system error".
constexpr std::uint64_t kSharedMemoryOfARank = 32 * kMiB;

// LibTorch's libraries, logs, the status FIFO; then, for each other rank, two Gloo groups and the
// store, whose sockets rank 0 holds at both ends.
constexpr std::uint64_t kFilesOfAnyRank = 128;
constexpr std::uint64_t kFilesOfAPeer = 6;

}  // namespace

Finding check_threads(const ThreadFacts& facts) {
  const std::string check = "threads";
  const int threads = facts.compute_threads * facts.processes;
  const int share = std::max(1, static_cast<int>(facts.cpus / facts.processes));
  const std::string found =
      fmt::format("{} for each of {} on {:.3g} CPUs{}", facts.compute_threads,
                  facts.processes == 1 ? "1 rank" : fmt::format("{} ranks", facts.processes),
                  facts.cpus, facts.is_set_by_user ? " (OMP_NUM_THREADS)" : "");
  const std::string advice = fmt::format(
      "Set OMP_NUM_THREADS={}, or leave it unset and start the ranks with lockstep-launch, which "
      "does.",
      share);
  if (threads > std::ceil(facts.cpus) && facts.compute_threads > 1) {
    return warning(check, found + ": they will wait for each other", advice);
  }
  if (facts.compute_threads * 2 <= share) {
    return warning(check, found + ": most CPUs stay idle", advice);
  }
  return ok(check, found);
}

Finding check_memory(const MemoryFacts& facts) {
  const std::string check = "memory";
  const std::uint64_t of_a_rank = facts.program + facts.model + facts.optimizer + facts.batches;
  const std::uint64_t all =
      of_a_rank * static_cast<std::uint64_t>(facts.processes) + facts.snapshot;
  const std::string parts =
      fmt::format("{}program and data {}, model {}, optimizer {}, batches {}; checkpoint {}",
                  facts.processes > 1 ? fmt::format("each of {} ranks: ", facts.processes) : "",
                  size_text(facts.program), size_text(facts.model), size_text(facts.optimizer),
                  size_text(facts.batches), size_text(facts.snapshot));
  const bool is_limited = facts.limit && (facts.machine == 0 || *facts.limit < facts.machine);
  const std::uint64_t most = is_limited ? *facts.limit : facts.machine;
  const std::string found =
      fmt::format("{} of {} {}, without activations ({})", size_text(all),
                  most > 0 ? size_text(most) : "an unknown amount",
                  is_limited ? "that the container may use" : "in the machine", parts);
  if (most == 0) return ok(check, found);
  if (all > most) {
    return bad(check, found,
               "Raise the container's memory limit, or take a smaller model, train.batch_size or "
               "data.ahead.",
               contract::kExitUsage);
  }
  if (all > most / 10 * 8) {
    return warning(check, found, "Raise the container's memory limit: activations come on top.");
  }
  return ok(check, found);
}

Finding check_shared_memory(const SharedMemoryFacts& facts) {
  const std::string check = "/dev/shm";
  const std::uint64_t needed = kSharedMemoryOfARank * static_cast<std::uint64_t>(facts.processes);
  const std::string found =
      facts.size ? fmt::format("{}, {} free", size_text(*facts.size), size_text(facts.free))
                 : "there is none";
  if (!facts.is_needed) return ok(check, found + "; not needed here: only NCCL uses it");
  if (facts.free >= needed) return ok(check, found);
  return bad(
      check,
      fmt::format("{}: NCCL needs {} for {} ranks", found, size_text(needed), facts.processes),
      "Mount a memory volume there (an emptyDir with medium: Memory; docker run --shm-size=1g).",
      contract::kExitUsage);
}

SharedMemoryFacts look_at_shared_memory(const std::filesystem::path& mount) {
  struct statvfs status {};
  if (statvfs(mount.c_str(), &status) != 0) return {};
  SharedMemoryFacts facts;
  facts.size = static_cast<std::uint64_t>(status.f_blocks) * status.f_frsize;
  facts.free = static_cast<std::uint64_t>(status.f_bavail) * status.f_frsize;
  return facts;
}

Finding check_open_files(const OpenFilesFacts& facts) {
  const std::string check = "open files";
  const auto [soft, hard] = facts.limit;
  const std::uint64_t needed = kFilesOfAnyRank + static_cast<std::uint64_t>(facts.loader_threads) +
                               kFilesOfAPeer * static_cast<std::uint64_t>(facts.world_size - 1);
  const std::string found =
      fmt::format("{} allowed, about {} needed", hard, needed) +
      (soft < hard ? fmt::format(" (a run raises its limit of {} to that)", soft) : "");
  if (hard >= needed) return ok(check, found);
  return bad(check, found,
             fmt::format("Raise the hard limit of the container or service to {} (docker run "
                         "--ulimit nofile={}; LimitNOFILE of containerd).",
                         2 * needed, 2 * needed),
             contract::kExitUsage);
}

Finding check_clock(Time now, std::optional<Time> storage) {
  using namespace std::chrono;
  const std::string check = "clock";
  const std::string advice = "Set the clock of the machine, best by NTP.";
  const sys_seconds time = floor<seconds>(file_clock::to_sys(now));
  const std::string found =
      fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(time.time_since_epoch().count()));
  if (time < sys_days{year{2025} / January / 1}) {
    return warning(check, found + ": before this program was written", advice);
  }
  const auto skew = storage ? floor<seconds>(*storage - now) : 0s;
  if (abs(skew) <= 60s) return ok(check, found);
  return warning(check,
                 fmt::format("{}, {} s {} the checkpoint storage", found, abs(skew).count(),
                             skew > 0s ? "behind" : "ahead of"),
                 advice);
}

}  // namespace lockstep
