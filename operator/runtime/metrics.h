// The numbers that /metrics shows. No label ever holds the name of a job.
#pragma once

#include <prometheus/registry.h>

#include <chrono>
#include <map>
#include <string>
#include <string_view>

#include "operator/kube/request.h"

namespace lockstep {

// Threads: any.
class Metrics {
 public:
  Metrics();

  void count_request(const Request& request, int status);  // status 0: no answer
  void count_watch_restart(std::string_view resource, std::string_view reason);
  void count_transition(std::string_view to, std::string_view reason);
  void observe_reconcile(std::chrono::duration<double> took, std::string_view result);
  void set_queue_depth(std::size_t depth);
  void set_jobs(const std::map<std::string, int>& by_phase);  // phases left out become 0

  // In Prometheus's text format.
  std::string text() const;

 private:
  prometheus::Registry registry_;
  prometheus::Family<prometheus::Counter>& requests_;
  prometheus::Family<prometheus::Counter>& watch_restarts_;
  prometheus::Family<prometheus::Counter>& transitions_;
  prometheus::Family<prometheus::Histogram>& reconciles_;
  prometheus::Family<prometheus::Gauge>& jobs_;
  prometheus::Gauge& queue_depth_;
};

}  // namespace lockstep
