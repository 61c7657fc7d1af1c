// Completion: kubectl's own mechanism, and scripts for shells. Pure.
#pragma once

#include <string>
#include <vector>

namespace lockstep {

// What may stand where the last word is being typed: a fixed word, or what a kubectl command lists.
struct Candidates {
  std::vector<std::string> words;    // that begin with it
  std::vector<std::string> kubectl;  // arguments of a kubectl that prints more of them; empty: none
};

// `words`: those behind the program's name.
Candidates complete(const std::vector<std::string>& words);

// From the lines of such a kubectl, as "namespace/default" or "default": names that begin with it.
std::vector<std::string> named(const std::string& lines, const std::string& prefix);

// The script for "bash", "zsh" or "fish". It asks `kubectl-lockstep __complete`.
std::string completion_script(const std::string& shell);

}  // namespace lockstep
