// kubectl lockstep logs: which pods to read, and which of their lines. Pure.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "operator/api/training_job.h"
#include "operator/base/result.h"

namespace lockstep {

struct LogRequest {
  std::optional<int> rank;
  std::optional<int> node;
  std::optional<int> attempt;  // none: the one under way
  std::optional<int> tail;     // lines of each node, or of the rank
  bool follows = false;
};

struct LogSource {
  std::vector<int> nodes;    // whose trainer has started
  std::vector<int> over;     // of these, whose trainer has ended
  std::vector<int> waiting;  // whose trainer has not started
  std::string selector;      // of the pods of `nodes`
  std::string prefix;        // of the lines wanted; empty: all of them
};

// Errors: kNotFound in a sentence that says where else to look.
Result<LogSource> choose_source(const TrainingJob& job, const std::vector<nlohmann::json>& pods,
                                const LogRequest& request);

// The arguments of kubectl, for all nodes at once.
std::vector<std::string> logs_arguments(const TrainingJob& job, const LogSource& source,
                                        const LogRequest& request);

// For one node that is followed, with the time of each line; from `since` on, where it is set.
std::vector<std::string> follow_arguments(const TrainingJob& job, int node, const LogSource& source,
                                          const LogRequest& request,
                                          const std::optional<std::string>& since);

// Picks whole lines out of a stream of bytes.
class LinePicker {
 public:
  // The last `tail` lines with the prefix, which only end() returns, or all of them at once.
  LinePicker(std::string prefix, std::optional<int> tail)
      : prefix_(std::move(prefix)), tail_(tail) {}

  std::string take(std::string_view bytes);
  std::string end();

 private:
  void add(std::string_view line, std::string& now);

  std::string prefix_;
  std::optional<int> tail_;
  std::string part_;               // of a line that has not ended
  std::vector<std::string> last_;  // at most tail_
};

}  // namespace lockstep
