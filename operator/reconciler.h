// Observe, decide, act: one pass over one job. Open this first.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string_view>
#include <vector>

#include "operator/base/mutex.h"
#include "operator/plan/decide.h"
#include "operator/writes.h"

namespace lockstep {

// Moves jobs a step nearer to their specs. All memory is in the API objects: the two maps here only
// keep a pass from running on what is known to be old. Threads: any, one job at a time only.
class Reconciler {
 public:
  using OnTransition = std::function<void(std::string_view to, std::string_view reason)>;

  Reconciler(Client& client, const Caches& caches, Platform platform, const Clock& clock,
             OnTransition on_transition = {});

  // Level based: may run at any time, any number of times. Returns when to look again; nullopt:
  // when something changes.
  // Errors: kConflict (stale read: soon), kThrottled, kUnavailable (later), kForbidden (a missing
  // permission), kCancelled (stopping).
  Result<std::optional<Time>> reconcile(const ObjectKey& key, std::stop_token stop);

 private:
  // nullopt: there is no such job.
  Result<std::optional<Observed>> observe(const ObjectKey& key, std::stop_token stop);
  Result<void> confirm_gone(Observed& seen, std::stop_token stop);
  Result<void> read_cluster_objects(Observed& seen, std::stop_token stop);
  // Whether the plan may go on: nobody deleted, edited or restarted the job since it was made.
  bool is_current(const TrainingJob& job) const;
  // Whether every create was accepted.
  Result<bool> act(const TrainingJob& job, const Plan& plan, std::stop_token stop);
  void tell(const TrainingJob& job, const JobStatus& status) const;

  Client& client_;
  const Caches caches_;
  const Platform platform_;
  const Clock& clock_;
  const OnTransition on_transition_;
  Writes writes_;
  Mutex mutex_;
  std::map<ObjectKey, std::vector<RefusedCreate>> refused_ GUARDED_BY(mutex_);
};

}  // namespace lockstep
