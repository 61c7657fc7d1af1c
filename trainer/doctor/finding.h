// What `lockstep-train doctor` finds: one value a check.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep {

enum class Mark { kOk, kWarning, kBad };

struct Finding {
  Mark mark = Mark::kOk;
  std::string check;   // "open files"
  std::string found;   // what there is, without a full stop
  std::string advice;  // what to do, one sentence; empty when ok
  int exit_code = 0;   // of contract.h: how a training would end; 0 unless bad
};

Finding ok(std::string check, std::string found);
Finding warning(std::string check, std::string found, std::string advice);
Finding bad(std::string check, std::string found, std::string advice, int exit_code);

// Bytes as people write them: "64 MiB", "1.5 GiB".
std::string size_text(std::uint64_t bytes);

}  // namespace lockstep
