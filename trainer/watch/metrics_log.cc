// The two files and their first records.
#include "trainer/watch/metrics_log.h"

#include <chrono>
#include <utility>

#include "trainer/watch/event.h"
#include "trainer/watch/event_file.h"
#include "trainer/watch/metrics_file.h"

namespace lockstep {

MetricsLog::MetricsLog(const MetricsSettings& settings, const StartFigures& start,
                       PatientFile::Tell tell, Clock clock)
    : clock_(std::move(clock)) {
  if (settings.directory.empty()) return;
  const std::filesystem::path file = settings.directory / "metrics.jsonl";
  const double now = clock_();
  lines_ = std::make_unique<PatientFile>(
      file.string(), [file, step = start.step] { return open_metrics(file, step); }, tell);
  lines_->append(line_of(start, now));
  if (!settings.tensorboard) return;
  events_ = std::make_unique<PatientFile>(
      "the event file in " + settings.directory.string(),
      [directory = settings.directory, now] {
        return open_events(directory, static_cast<std::int64_t>(now));
      },
      std::move(tell));
  events_->append(version_record(now));
  events_->append(start_record(now, start.step + 1));
}

template <typename AnyFigures>
void MetricsLog::write(const AnyFigures& figures) {
  const double now = clock_();
  if (lines_) lines_->append(line_of(figures, now));
  if (events_) events_->append(scalars_record(now, figures.step, scalars_of(figures)));
}

template void MetricsLog::write(const TrainFigures&);
template void MetricsLog::write(const ValFigures&);

void MetricsLog::sync() {
  if (lines_) lines_->sync();
  if (events_) events_->sync();
}

double MetricsLog::seconds_since_1970() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

}  // namespace lockstep
