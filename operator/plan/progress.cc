// Progress and its columns.
#include "operator/plan/progress.h"

#include <cmath>
#include <cstdio>

#include "operator/api/names.h"
#include "operator/plan/last_words.h"

namespace lockstep {
namespace {

// Of the lowest node that tells any: by convention rank 0 knows the loss.
std::optional<Progress> reported(const Observed& seen) {
  const Reports* reports = current_reports(seen);
  if (!reports) return std::nullopt;
  for (const auto& [rank, report] : reports->nodes) {
    if (report && report->progress) return report->progress;
  }
  return std::nullopt;
}

std::optional<Progress> final_progress(const Nodes& nodes) {
  for (const Pod* pod : nodes.current) {
    const ContainerState* trainer = pod && has_succeeded(*pod) ? trainer_of(*pod) : nullptr;
    if (!trainer || !trainer->terminated) continue;
    if (auto progress = parse_last_progress(trainer->terminated->message)) return progress;
  }
  return std::nullopt;
}

template <typename... Values>
std::string print(const char* format, Values... values) {
  char text[64];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

std::string progress_column(const JobStatus& status) {
  const auto percent = percent_of(*status.progress);
  std::string text = percent ? print("%d%%", *percent)
                     : status.progress->step
                         ? print("step %lld", static_cast<long long>(*status.progress->step))
                     : status.progress->epoch
                         ? print("epoch %lld", static_cast<long long>(*status.progress->epoch))
                         : "";
  if (!status.is(names::kStalled)) return text;
  return text.empty() ? "stalled" : "stalled at " + text;
}

// As kubectl writes ages: two units at most.
std::string duration_column(double exact) {
  const auto total = static_cast<long long>(std::min(std::ceil(exact), 1e12));
  const long long minutes = total / 60, hours = minutes / 60, days = hours / 24;
  if (total < 60) return print("%llds", total);
  if (minutes < 10) return print("%lldm%llds", minutes, total % 60);
  if (hours < 3) return print("%lldm", minutes);
  if (hours < 48) return print("%lldh%lldm", hours, minutes % 60);
  return print("%lldd%lldh", days, hours % 24);
}

std::string rate_column(double rate) {
  const char* const kUnits[] = {"", "k", "M", "G"};
  int unit = 0;
  while (rate >= 999.5 && unit < 3) rate /= 1000, ++unit;
  return print(rate < 10 && (unit > 0 || rate != std::floor(rate)) ? "%.1f%s/s" : "%.0f%s/s", rate,
               kUnits[unit]);
}

}  // namespace

const Reports* current_reports(const Observed& seen) {
  const bool is_current = seen.reports && seen.reports->attempt == seen.job.status.attempt;
  return is_current ? &*seen.reports : nullptr;
}

void observe_progress(JobStatus& status, const Observed& seen, const Nodes& nodes, Time now) {
  std::optional<Progress> fresh = final_progress(nodes);
  const bool is_due =
      fresh || !status.progress_time || now - *status.progress_time >= kProgressInterval;
  if (!fresh) fresh = reported(seen);
  if (!fresh || !is_due || status.progress == fresh) return;
  status.progress = std::move(fresh);
  status.progress_time = now;
}

void fill_progress_columns(JobStatus& status) {
  Display& display = status.display;
  display.progress = display.eta = display.throughput = display.loss = "";
  if (!status.progress) {
    if (status.is(names::kStalled)) display.progress = "stalled";
    return;
  }
  const Progress& progress = *status.progress;
  display.progress = progress_column(status);
  if (progress.loss) display.loss = print("%.4g", *progress.loss);
  if (status.phase != Phase::kRunning) return;  // what goes on has a speed and an end
  if (progress.seconds_remaining) display.eta = duration_column(*progress.seconds_remaining);
  if (progress.samples_per_second) display.throughput = rate_column(*progress.samples_per_second);
}

}  // namespace lockstep
