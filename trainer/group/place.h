// Where this process stands among those it trains with.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace lockstep {

struct Place {
  int rank = 0;
  int world_size = 1;
  int local_rank = 0;            // index of this process's accelerator on its machine
  std::string master_address{};  // where rank 0 is reached; empty when world_size is 1
  int master_port = 0;
  bool store_is_hosted = false;  // torchrun keeps the store itself, rank 0 must not
  std::string job_uid{};         // empty outside the operator
  std::int64_t attempt = 0;      // of that job, from 1
  std::string attempt_key{};  // names job and attempt, so that nothing an earlier one left is read
  std::chrono::seconds startup{300};  // how long ranks wait for each other
};

using Environment = std::function<std::optional<std::string>(const char* name)>;

// The variables of this process.
std::optional<std::string> variable(const char* name);

// Reads what lockstep-launch, torchrun --no-python or a hand-made environment says: RANK,
// WORLD_SIZE, LOCAL_RANK, MASTER_ADDR, MASTER_PORT. Without RANK and WORLD_SIZE: alone.
// Throws std::invalid_argument for a variable that is missing, no number or out of range.
Place place_in(const Environment& environment);

}  // namespace lockstep
