// Starts the ranks of a node again, in place, when they fail: for nodes without an operator.
#pragma once

#include <functional>

#include "trainer/launch/launcher.h"

namespace lockstep {

// Whether another attempt may end better. What the ranks call permanent, a program that does not
// exist and a stop from outside are final.
bool is_worth_another_attempt(const Outcome& outcome);

// Launches spec_of(0), spec_of(1), ... until one need not be repeated, or `most` have been. Before
// each repetition it waits `pause`; a signal to stop ends that wait, and then all is over. Returns
// the last outcome.
Outcome launch_repeatedly(const std::function<LaunchSpec(int restart)>& spec_of, int most,
                          Seconds pause);

}  // namespace lockstep
