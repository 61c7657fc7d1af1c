// Who died first, in words.
#include "operator/plugin/last_failure.h"

#include <string.h>

#include "operator/api/names.h"
#include "operator/plugin/words.h"

namespace lockstep {
namespace {

std::string place(const LastFailure& failure) {
  std::string text = "node " + std::to_string(failure.node_rank) + " (pod " + failure.pod;
  if (!failure.node.empty()) text += " on machine " + failure.node;
  text += ") of attempt " + std::to_string(failure.attempt);
  return failure.rank ? "rank " + std::to_string(*failure.rank) + " on " + text : text;
}

std::string end(const LastFailure& failure) {
  const char* name = failure.signal > 0 ? ::sigabbrev_np(failure.signal) : nullptr;
  if (name) return "was ended by SIG" + std::string(name);
  if (failure.signal > 0) return "was ended by signal " + std::to_string(failure.signal);
  if (failure.reason == names::kStalled) return "made no progress";
  if (!failure.exit_code) return "was lost";
  return "exited with " + std::to_string(*failure.exit_code);
}

}  // namespace

std::string headline(const LastFailure& failure, Time now) {
  std::string text = place(failure) + " " + end(failure);
  const bool says_more = !failure.reason.empty() && failure.reason != "Error";
  if (says_more) text += ", " + failure.reason;
  if (failure.finished_at) text += ", " + age_text(failure.finished_at, now) + " ago";
  return text;
}

std::string describe(const LastFailure& failure, Time now) {
  return headline(failure, now) + "\n" + indented(failure.message, "  ");
}

}  // namespace lockstep
