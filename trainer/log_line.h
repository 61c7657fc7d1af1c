// What the trainer tells its user: whole lines on standard output, at once, since a pod's log is
// read live.
#pragma once

#include <cstdio>
#include <string>

namespace lockstep {

inline void log_line(const std::string& text) {
  std::fputs((text.ends_with("\n") ? text : text + "\n").c_str(), stdout);
  std::fflush(stdout);
}

}  // namespace lockstep
