// Why a job ends in failure.
#pragma once

#include <string>

namespace lockstep {

struct Verdict {
  std::string reason;  // names::kPermanentFailure, ...
  std::string message;
};

}  // namespace lockstep
