// kubectl lockstep suspend, resume and restart: what a job's state allows. Pure.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "operator/api/training_job.h"
#include "operator/base/result.h"

namespace lockstep {

// What to do about a job, and what to tell its user.
struct Change {
  std::optional<bool> suspend;  // the new runPolicy.suspend; none: nothing is to be written
  std::string sentence;
};

// Errors: kConflict with one sentence when the job cannot be suspended or resumed any more.
Result<Change> suspension_of(const TrainingJob& job);
Result<Change> resumption_of(const TrainingJob& job);
// The first half of a restart. Errors: as above, and for a job that is suspended already.
Result<Change> restart_of(const TrainingJob& job);

nlohmann::json suspend_patch(bool suspend);

// The operator has seen the suspension and will start anew when the job is resumed.
bool is_stopped(const TrainingJob& job);

// How far a resumed job is, in a sentence; `is_over` when there is nothing more to wait for.
struct Step {
  std::string sentence;
  bool is_over = false;
  bool is_good = true;
};
Step after_resumption(const TrainingJob& job);

// What state an interrupted or timed-out restart leaves.
std::string what_is_left(const TrainingJob& job);

}  // namespace lockstep
