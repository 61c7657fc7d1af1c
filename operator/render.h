// lockstep-operator render: what a job would get, offline.
#pragma once

namespace lockstep {

// Takes the arguments after the word render. Prints to standard output, mistakes to standard
// error; returns the exit code.
int render(int argc, const char* const* argv);

}  // namespace lockstep
