// lockstep-operator: wiring, signals, and every thread.
//
// Threads: main waits for signals; one watcher for each kind and namespace; --workers that
// reconcile; each status server accepts on one and answers on two. Each is a member of what it
// serves and joined by its destructor. What is declared below outlives what stands under it.
#include <signal.h>

#include <cstdlib>
#include <iostream>
#include <list>
#include <string>

#include "operator/base/log.h"
#include "operator/flags.h"
#include "operator/kube/credentials.h"
#include "operator/reconciler.h"
#include "operator/runtime/controller.h"
#include "operator/runtime/metrics.h"
#include "operator/runtime/status_server.h"
#include "operator/runtime/watcher.h"
#include "operator/runtime/work_queue.h"
#include "trainer/contract.h"

namespace lockstep {
namespace {

constexpr std::chrono::milliseconds kSyncPoll{20};
constexpr std::chrono::minutes kResync{10};  // a net under missed wake-ups: costs reads only

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

CredentialHints hints(const Flags& flags) {
  CredentialHints hints;
  hints.kubeconfig = flags.kubeconfig;
  hints.context = flags.context;
  hints.kubeconfig_env = environment("KUBECONFIG");
  hints.home = environment("HOME");
  hints.service_host = environment("KUBERNETES_SERVICE_HOST");
  hints.service_port = environment("KUBERNETES_SERVICE_PORT");
  return hints;
}

// Signals are taken by main alone: threads inherit the mask.
sigset_t block_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_IGN);
  return signals;
}

// Whether one of the signals came within the time.
bool got_signal(const sigset_t& signals, std::chrono::milliseconds within) {
  const timespec timeout{within.count() / 1000, within.count() % 1000 * 1'000'000};
  return sigtimedwait(&signals, nullptr, &timeout) > 0;
}

template <typename Object>
ObjectKey job_by_label(const Object& object) {
  const auto name = object.meta.labels.find(names::kJobName);
  return {object.meta.namespace_, name == object.meta.labels.end() ? "" : name->second};
}

ObjectKey own_key(const TrainingJob& job) { return job.meta.key(); }

std::map<std::string, int> count_phases(const Store<TrainingJob>& jobs) {
  std::map<std::string, int> counts;
  for (const auto& job : jobs.all()) ++counts[std::string(phase_name(job->status.phase))];
  return counts;
}

// Everything that runs until a signal comes.
class Operator {
 public:
  Operator(const Flags& flags, Credentials credentials)
      : flags_(flags),
        scopes_(flags.namespaces.empty() ? std::vector<std::string>{""} : flags.namespaces),
        transport_(std::move(credentials), clock_) {}

  // Returns the exit code.
  int run(const sigset_t& signals);

 private:
  void watch();
  Result<void> serve_status();
  bool is_synced() const { return jobs_.is_synced() && pods_.is_synced() && services_.is_synced(); }
  std::string metrics_text();

  const Flags& flags_;
  const std::vector<std::string> scopes_;
  const SystemClock clock_;
  Metrics metrics_;
  HttpTransport transport_;
  Client client_{transport_, [this](const Request& request, int status) {
                   metrics_.count_request(request, status);
                 }};
  WorkQueue queue_;
  const std::function<void(const ObjectKey&)> wake_ = [this](const ObjectKey& job) {
    queue_.add(job);
  };
  Store<TrainingJob> jobs_{scopes_, own_key, wake_};
  Store<Pod> pods_{scopes_, job_by_label<Pod>, wake_};
  Store<Service> services_{scopes_, job_by_label<Service>, wake_};
  std::list<Watcher> watchers_;
  std::list<std::unique_ptr<StatusServer>> status_servers_;
};

void Operator::watch() {
  const Watcher::OnRestart count = [this](std::string_view resource, std::string_view reason) {
    metrics_.count_watch_restart(resource, reason);
  };
  for (const std::string& scope : scopes_) {
    watchers_.emplace_back(
        client_, WatchTarget{kTrainingJobs, scope, ""},
        std::make_unique<StoreWriter<TrainingJob>>(jobs_, scope, parse_training_job), clock_,
        count);
    watchers_.emplace_back(client_, WatchTarget{kPods, scope, names::kJobName},
                           std::make_unique<StoreWriter<Pod>>(pods_, scope, parse_pod), clock_,
                           count);
    watchers_.emplace_back(client_, WatchTarget{kServices, scope, names::kJobName},
                           std::make_unique<StoreWriter<Service>>(services_, scope, parse_service),
                           clock_, count);
  }
}

std::string Operator::metrics_text() {
  metrics_.set_queue_depth(queue_.depth());
  metrics_.set_jobs(count_phases(jobs_));
  return metrics_.text();
}

Result<void> Operator::serve_status() {
  StatusPages pages{.is_ready = [this] { return is_synced(); }, .metrics_text = nullptr};
  const auto metrics = [this] { return metrics_text(); };
  if (flags_.metrics_address.empty()) {
    pages.metrics_text = metrics;
  } else {
    status_servers_.push_back(TRY(StatusServer::start(
        flags_.metrics_address, {.is_ready = nullptr, .metrics_text = metrics})));
  }
  status_servers_.push_back(TRY(StatusServer::start(flags_.health_address, std::move(pages))));
  return {};
}

int Operator::run(const sigset_t& signals) {
  if (const Result<void> served = serve_status(); !served) {
    std::cerr << "lockstep-operator: " << served.error().message << "\n";
    return contract::kExitUsage;
  }
  watch();
  while (!is_synced()) {
    if (got_signal(signals, kSyncPoll)) return contract::kExitFinished;
  }
  log::info("the caches are filled", {{"jobs", jobs_.all().size()}, {"pods", pods_.all().size()}});
  PodDefaults defaults;
  defaults.trainer_image = flags_.trainer_image;
  for (const std::string& name : flags_.accelerators) defaults.accelerators.push_back(name);
  Reconciler reconciler(client_, {jobs_, pods_, services_}, defaults, clock_,
                        [this](std::string_view to, std::string_view reason) {
                          metrics_.count_transition(to, reason);
                        });
  const Controller controller(
      queue_,
      [&](const ObjectKey& key, const std::stop_token& stop) {
        return reconciler.reconcile(key, stop);
      },
      clock_, flags_.workers,
      [this](std::chrono::duration<double> took, std::string_view result) {
        metrics_.observe_reconcile(took, result);
      });
  while (!got_signal(signals, kResync)) {
    for (const auto& job : jobs_.all()) queue_.add(job->meta.key());
  }
  log::info("stopping");
  return contract::kExitFinished;
}

int run(int argc, char** argv) {
  const auto parsed = parse_flags(argc, argv);
  if (!parsed) {
    std::cerr << "lockstep-operator: " << parsed.error().message << "\n";
    return contract::kExitUsage;
  }
  if (const auto* notice = std::get_if<Notice>(&*parsed)) {
    std::cout << notice->text;
    return contract::kExitFinished;
  }
  const Flags& flags = std::get<Flags>(*parsed);
  log::set_level(flags.log_level);
  const SystemClock clock;
  Result<Credentials> credentials = load_credentials(hints(flags), clock);
  if (!credentials) {
    std::cerr << "lockstep-operator: " << credentials.error().message << "\n";
    return contract::kExitUsage;
  }
  const sigset_t signals = block_signals();
  log::info("starting", {{"version", LOCKSTEP_VERSION}, {"api_server", credentials->server.url()}});
  return Operator(flags, std::move(*credentials)).run(signals);
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) { return lockstep::run(argc, argv); }
