// The sentence that a reader refuses its input with.
#pragma once

#include <string>

#include "trainer/errors.h"

namespace lockstep::testing {

template <typename Read>
std::string fault_of(Read read) {
  try {
    read();
  } catch (const BadData& fault) {
    return fault.what();
  }
  return "accepted";
}

}  // namespace lockstep::testing
