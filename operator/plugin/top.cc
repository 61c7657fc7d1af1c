// Folds the pages of a job's nodes into a line.
#include "operator/plugin/top.h"

#include <algorithm>

#include "operator/api/fields.h"
#include "operator/api/names.h"
#include "operator/plugin/progress.h"
#include "operator/plugin/words.h"

namespace lockstep {
namespace {

constexpr double kLongSilence = 30;  // seconds, from which on the slowest rank stands out

void keep_longest(std::optional<double>& longest, const std::optional<double>& wait) {
  if (wait) longest = std::max(longest.value_or(0), *wait);
}

Cell state(const JobStatus& status) {
  if (status.is(names::kStalled)) return {names::kStalled, Colour::kRed};
  return {std::string(phase_name(status.phase)), colour_of(status.phase)};
}

std::string quantity(const std::optional<double>& value) {
  return value ? quantity_text(*value) : "";
}

std::string share(const std::optional<double>& value) { return value ? percent_text(*value) : ""; }

// "rank 3 on node 1: step 118 (data), silent for 12s"
Cell slowest_cell(const std::optional<NodeReport::Rank>& slowest) {
  if (!slowest) return "";
  std::string text = "rank " + std::to_string(slowest->rank) + " on node " +
                     std::to_string(slowest->node_rank) + ":";
  if (slowest->step) text += " step " + std::to_string(*slowest->step);
  if (!slowest->phase.empty()) text += " (" + slowest->phase + ")";
  text += ", silent for " + duration_text(slowest->silent_seconds);
  return {text, slowest->silent_seconds >= kLongSilence ? Colour::kYellow : Colour::kNone};
}

}  // namespace

Result<JobNow> job_now(const nlohmann::json& object, const std::vector<std::string>& pages) {
  JobNow now{.job = TRY(parse_training_job(object)), .progress = {}, .slowest = {}};
  now.progress = parse_progress(fields::member(fields::member(object, "status"), "progress"));
  bool is_first = true;
  for (const std::string& text : pages) {
    const std::optional<NodeReport> page = parse_node_report(text);
    if (!page) continue;
    const Progress told = page->progress.value_or(Progress());
    if (std::exchange(is_first, false) && told.step) now.progress = told;
    keep_longest(now.progress.data_wait, told.data_wait);
    keep_longest(now.progress.comm_wait, told.comm_wait);
    const bool is_behind =
        page->slowest && (!now.slowest || lockstep::is_behind(*page->slowest, *now.slowest));
    if (is_behind) now.slowest = page->slowest;
  }
  return now;
}

std::string top_table(const std::vector<JobNow>& jobs, bool with_namespace, const Paint& paint) {
  std::vector<std::string> header = {"NAME", "STATE",     "STEP",      "DONE", "SAMPLES/S",
                                     "LOSS", "DATA-WAIT", "COMM-WAIT", "ETA",  "SLOWEST"};
  if (with_namespace) header.insert(header.begin(), "NAMESPACE");
  Table table(header);
  for (const JobNow& each : jobs) {
    const Progress& progress = each.progress;
    std::vector<Cell> row = {
        each.job.meta.name,
        state(each.job.status),
        steps_text(progress),
        done_text(progress),
        quantity(progress.samples_per_second),
        quantity(progress.loss),
        share(progress.data_wait),
        share(progress.comm_wait),
        progress.seconds_remaining ? duration_text(*progress.seconds_remaining) : "",
        slowest_cell(each.slowest)};
    if (with_namespace) row.insert(row.begin(), each.job.meta.namespace_);
    table.add(std::move(row));
  }
  return table.text(paint);
}

}  // namespace lockstep
