// Checks what several ranks of the program `chatter` wrote through the launcher.
#pragma once

#include <string>

namespace lockstep::test {

// Every line is whole, in its order and from one of the ranks, and none is missing.
void expect_whole_chatter(const std::string& output, int ranks);

}  // namespace lockstep::test
