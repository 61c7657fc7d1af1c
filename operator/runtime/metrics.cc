// Metrics over prometheus-cpp's core; the HTTP side is status_server.
#include "operator/runtime/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/text_serializer.h>

namespace lockstep {
namespace {

prometheus::Family<prometheus::Counter>& counter(prometheus::Registry& registry, const char* name,
                                                 const char* help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
}

prometheus::Family<prometheus::Gauge>& gauge(prometheus::Registry& registry, const char* name,
                                             const char* help) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(registry);
}

const prometheus::Histogram::BucketBoundaries kSeconds{0.001, 0.003, 0.01, 0.03, 0.1,
                                                       0.3,   1,     3,    10};

}  // namespace

Metrics::Metrics()
    : requests_(counter(registry_, "lockstep_api_requests_total", "Answers of the API server")),
      watch_restarts_(counter(registry_, "lockstep_watch_restarts_total",
                              "Lists and watches that ended with an error")),
      transitions_(counter(registry_, "lockstep_job_transitions_total",
                           "Changes of phase written to status")),
      reconciles_(prometheus::BuildHistogram()
                      .Name("lockstep_reconcile_seconds")
                      .Help("Duration of one pass over one job")
                      .Register(registry_)),
      jobs_(gauge(registry_, "lockstep_jobs", "TrainingJobs by phase")),
      queue_depth_(
          gauge(registry_, "lockstep_workqueue_depth", "Jobs waiting for a worker").Add({})) {}

void Metrics::count_request(const Request& request, int status) {
  requests_
      .Add({{"verb", request.verb},
            {"resource", request.resource},
            {"code", std::to_string(status)}})
      .Increment();
}

void Metrics::count_watch_restart(std::string_view resource, std::string_view reason) {
  watch_restarts_.Add({{"resource", std::string(resource)}, {"reason", std::string(reason)}})
      .Increment();
}

void Metrics::count_transition(std::string_view to, std::string_view reason) {
  transitions_.Add({{"to", std::string(to)}, {"reason", std::string(reason)}}).Increment();
}

void Metrics::observe_reconcile(std::chrono::duration<double> took, std::string_view result) {
  reconciles_.Add({{"result", std::string(result)}}, kSeconds).Observe(took.count());
}

void Metrics::set_queue_depth(std::size_t depth) { queue_depth_.Set(static_cast<double>(depth)); }

void Metrics::set_jobs(const std::map<std::string, int>& by_phase) {
  for (const char* phase :
       {"Pending", "Starting", "Running", "Restarting", "Suspended", "Succeeded", "Failed"}) {
    const auto count = by_phase.find(phase);
    jobs_.Add({{"phase", phase}}).Set(count == by_phase.end() ? 0 : count->second);
  }
}

std::string Metrics::text() const {
  return prometheus::TextSerializer().Serialize(registry_.Collect());
}

}  // namespace lockstep
