// What the container lets a training have: CPUs, memory, shared memory, open files, a clock. Facts
// in, findings out: pure, but for the functions that say "look".
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>

#include "trainer/doctor/finding.h"
#include "trainer/open_files.h"

namespace lockstep {

struct ThreadFacts {
  double cpus = 1;          // affinity and cgroup quota together
  int processes = 1;        // ranks that share them
  int compute_threads = 1;  // of each rank: OMP_NUM_THREADS, or what LibTorch chose
  bool is_set_by_user = false;
};
Finding check_threads(const ThreadFacts& facts);

// Bytes of each rank; activations are not known before a step and not among them.
struct MemoryFacts {
  std::optional<std::uint64_t> limit;  // of the container
  std::uint64_t machine = 0;           // main memory; 0: unknown
  int processes = 1;
  std::uint64_t program = 0;    // before there is a model: program, libraries, data
  std::uint64_t model = 0;      // weights, gradients and buffers
  std::uint64_t optimizer = 0;  // and average of weights
  std::uint64_t batches = 0;    // made ahead
  std::uint64_t snapshot = 0;   // what an asynchronous checkpoint copies; 0: none
};
Finding check_memory(const MemoryFacts& facts);

struct SharedMemoryFacts {
  std::optional<std::uint64_t> size;  // of /dev/shm; nullopt: there is none
  std::uint64_t free = 0;
  bool is_needed = false;  // NCCL between processes of one machine
  int processes = 1;
};
Finding check_shared_memory(const SharedMemoryFacts& facts);
SharedMemoryFacts look_at_shared_memory(const std::filesystem::path& mount = "/dev/shm");

struct OpenFilesFacts {
  OpenFilesLimit limit;
  int world_size = 1;      // a rank has sockets to all others
  int loader_threads = 0;  // each reads one file at a time
};
Finding check_open_files(const OpenFilesFacts& facts);

// `storage` is the time that the checkpoint storage gave a new file.
using Time = std::filesystem::file_time_type;
Finding check_clock(Time now, std::optional<Time> storage);

}  // namespace lockstep
