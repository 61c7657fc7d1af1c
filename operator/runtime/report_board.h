// What the nodes of each job told last: written by the poller, read by whoever decides.
#pragma once

#include <map>
#include <optional>

#include "operator/api/progress.h"
#include "operator/base/mutex.h"

namespace lockstep {

// Threads: any.
class ReportBoard {
 public:
  void put(const ObjectKey& job, Reports reports) {
    MutexLock lock(mutex_);
    reports_[job] = std::move(reports);
  }

  std::optional<Reports> find(const ObjectKey& job) const {
    MutexLock lock(mutex_);
    const auto found = reports_.find(job);
    return found == reports_.end() ? std::nullopt : std::optional(found->second);
  }

  // Forgets all jobs but those for which `is_wanted` is true.
  template <typename Predicate>
  void keep(Predicate is_wanted) {
    MutexLock lock(mutex_);
    std::erase_if(reports_, [&](const auto& entry) { return !is_wanted(entry.first); });
  }

 private:
  mutable Mutex mutex_;
  std::map<ObjectKey, Reports> reports_ GUARDED_BY(mutex_);
};

}  // namespace lockstep
