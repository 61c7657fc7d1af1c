// Carries out what a plan asks for, and remembers it until the caches show it.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "operator/api/core.h"
#include "operator/api/training_job.h"
#include "operator/base/clock.h"
#include "operator/base/mutex.h"
#include "operator/kube/client.h"
#include "operator/plan/observed.h"
#include "operator/plan/plan.h"
#include "operator/runtime/report_board.h"
#include "operator/runtime/store.h"

namespace lockstep {

struct CompanionStore {
  Resource resource;
  const Store<Companion>* store;
};

// What the watchers and the poller keep up to date.
struct Caches {
  const Store<TrainingJob>& jobs;
  const Store<Pod>& pods;
  std::vector<CompanionStore> companions;
  const ReportBoard* reports = nullptr;  // none: nobody asks for progress
};

// Threads: any, but one job at a time only, as the work queue has it.
class Writes {
 public:
  Writes(Client& client, const Caches& caches, const Clock& clock)
      : client_(client), caches_(caches), clock_(clock) {}

  // Whether all that was written for the job has come back through the caches. Until then a plan
  // would repeat it. After 30 s the answer is yes in any case: repeating is harmless.
  bool are_visible(const ObjectKey& job);
  void forget(const ObjectKey& job);

  // Conditional on the version of `job`. Errors: kConflict when somebody wrote first.
  Result<void> write_status(const TrainingJob& job, const JobStatus& status, std::stop_token stop);

  // Best effort: a lost event is logged.
  void send_event(const TrainingJob& job, const Event& event, std::stop_token stop);

  // Returns a refusal where repeating at once will not help; nullopt when it is done, or was
  // already. Errors: those that the next pass may not meet.
  Result<std::optional<RefusedCreate>> carry_out(const TrainingJob& job, const Action& action,
                                                 std::stop_token stop);

 private:
  struct Written {
    std::map<Resource, std::string> versions;  // the newest of each kind
    std::chrono::steady_clock::time_point at;
  };

  bool is_visible(const Resource& resource, const std::string& namespace_,
                  const std::string& version) const;
  Result<std::optional<RefusedCreate>> create(const TrainingJob& job, const Create& wanted,
                                              std::stop_token stop);
  Result<std::optional<RefusedCreate>> accept_existing(const TrainingJob& job, const Create& wanted,
                                                       std::stop_token stop);
  Result<void> remove(const TrainingJob& job, const Resource& resource, const std::string& name,
                      const DeleteOptions& options, std::stop_token stop);
  Result<void> patch(const TrainingJob& job, const Patch& patch, std::stop_token stop);
  // What is gone needs no change any more.
  Result<void> settle(const TrainingJob& job, const Resource& resource,
                      const Result<nlohmann::json>& answer);
  void remember(const ObjectKey& job, const Resource& resource, const nlohmann::json& object);

  Client& client_;
  const Caches caches_;
  const Clock& clock_;
  Mutex mutex_;
  std::map<ObjectKey, Written> written_ GUARDED_BY(mutex_);
};

}  // namespace lockstep
