// From flags, environment and machine to what is launched.
#pragma once

#include "trainer/launch/environment.h"
#include "trainer/launch/launcher.h"
#include "trainer/launch/options.h"

namespace lockstep {

struct Node {
  Environment environment;
  Options options;
  NodePlan plan;
};

// Looks at the machine and, for --hosts, at names and addresses. Throws std::invalid_argument with
// one sentence for what does not fit together.
Node prepare(Environment environment, Options options);

// Of the first attempt (restart 0) or a later one in place.
LaunchSpec spec_of(const Node& node, int restart);

}  // namespace lockstep
