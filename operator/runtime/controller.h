// Workers that take jobs from the queue and have them reconciled.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string_view>
#include <thread>
#include <vector>

#include "operator/api/meta.h"
#include "operator/base/clock.h"
#include "operator/base/result.h"
#include "operator/runtime/work_queue.h"

namespace lockstep {

// Returns when to look again; nullopt: when something changes. Level based: it gets a name and
// looks for itself what there is to do, so it may run at any time, any number of times.
using Reconcile = std::function<Result<std::optional<Time>>(const ObjectKey&, std::stop_token)>;

// Runs until destroyed; what is being reconciled then is told to stop, and waited for. Failures are
// logged here, once. Queue and clock outlive it.
class Controller {
 public:
  // `result` is "ok" or the kind of the error.
  using OnDone = std::function<void(std::chrono::duration<double> took, std::string_view result)>;

  Controller(WorkQueue& queue, Reconcile reconcile, const Clock& clock, int workers,
             OnDone on_done = {});

 private:
  void work(const std::stop_token& stop);
  void try_later(const ObjectKey& key, const Error& error);

  WorkQueue& queue_;
  const Reconcile reconcile_;
  const Clock& clock_;
  const OnDone on_done_;
  std::vector<std::jthread> workers_;  // last: they end before what they use
};

}  // namespace lockstep
