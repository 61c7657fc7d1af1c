// The columns of kubectl get, and the reason beside them.
#include "operator/plugin/list.h"

#include "operator/api/fields.h"
#include "operator/api/training_job.h"
#include "operator/plugin/words.h"

namespace lockstep {
namespace {

// A job that no operator has looked at says so.
std::vector<Cell> row(const TrainingJob& job, Time now) {
  const Display& shown = job.status.display;
  const bool is_seen = job.status.observed_generation > 0;
  return {job.meta.name,
          is_seen ? Cell(std::string(phase_name(job.status.phase)), colour_of(job.status.phase))
                  : Cell("Unseen", Colour::kYellow),
          shown.nodes,
          shown.restarts,
          shown.progress,
          shown.eta,
          shown.throughput,
          shown.loss,
          age_text(job.meta.creation_time, now),
          shown.reason};
}

}  // namespace

std::string list_jobs(const nlohmann::json& jobs, bool with_namespace, Time now,
                      const Paint& paint) {
  std::vector<std::string> header = {"NAME", "STATE",      "NODES", "RESTARTS", "PROGRESS",
                                     "ETA",  "THROUGHPUT", "LOSS",  "AGE",      "REASON"};
  if (with_namespace) header.insert(header.begin(), "NAMESPACE");
  Table table(header);
  for (const nlohmann::json& object : fields::list(jobs, "items")) {
    const Result<TrainingJob> job = parse_training_job(object);
    if (!job) continue;
    std::vector<Cell> cells = row(*job, now);
    if (with_namespace) cells.insert(cells.begin(), job->meta.namespace_);
    table.add(std::move(cells));
  }
  return table.is_empty() ? "" : table.text(paint);
}

}  // namespace lockstep
