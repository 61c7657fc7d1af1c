// A spec from its JSON, for tests that are not about its faults.
#pragma once

#include <gmock/gmock.h>

#include "operator/api/job_spec.h"

namespace lockstep {

inline JobSpec spec_of(const nlohmann::json& source) {
  Faults faults;
  JobSpec spec = parse_spec(source, faults);
  EXPECT_THAT(faults.sentences(), testing::IsEmpty());
  return spec;
}

inline JobSpec spec_of(const char* source) { return spec_of(nlohmann::json::parse(source)); }

}  // namespace lockstep
