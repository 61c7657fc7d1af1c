// The termination message of the launcher: which of a node's processes failed first, and how.
#pragma once

#include <optional>
#include <string>

#include "operator/api/progress.h"

namespace lockstep {

struct LastWords {
  int rank = 0;  // global rank
  int exit_code = 0;
  int signal = 0;
  std::optional<Time> time;              // of its end, to the millisecond
  std::string text;                      // the reason and the last lines of its output
  std::optional<NodeReport::Rank> hang;  // where the rank stood that the node waited for
};

// nullopt when the message is not the launcher's: other images leave their last log lines there.
// Untrusted input.
std::optional<LastWords> parse_last_words(const std::string& termination_message);

// How far the ranks were when they ended well: {"progress": {...}}. Untrusted likewise.
std::optional<Progress> parse_last_progress(const std::string& termination_message);

}  // namespace lockstep
