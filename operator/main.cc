// lockstep-operator: wiring, signals, and every thread.
//
// Threads: main waits for signals; one watcher for each kind and namespace; --workers that
// reconcile; the progress poller is one; each status server accepts on one and answers on two. Each
// is a member of what it serves and joined by its destructor. What is declared below outlives what
// stands under it.
#include <signal.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <list>
#include <map>
#include <string>

#include "operator/base/log.h"
#include "operator/discovery.h"
#include "operator/flags.h"
#include "operator/kube/credentials.h"
#include "operator/progress_poller.h"
#include "operator/reconciler.h"
#include "operator/render.h"
#include "operator/runtime/controller.h"
#include "operator/runtime/metrics.h"
#include "operator/runtime/status_server.h"
#include "operator/runtime/watcher.h"
#include "operator/runtime/work_queue.h"
#include "trainer/contract.h"

namespace lockstep {
namespace {

constexpr std::chrono::milliseconds kSyncPoll{20};
constexpr std::chrono::seconds kDiscoveryPause{2};
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
  void watch_companions(const Resource& resource);
  Result<Platform> platform();
  Result<void> serve_status();
  bool is_synced() const;
  bool wait_for_caches(const sigset_t& signals) const;
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
  const Watcher::OnRestart count_restart_ = [this](std::string_view resource,
                                                   std::string_view reason) {
    metrics_.count_watch_restart(resource, reason);
  };
  const std::function<void(const ObjectKey&)> wake_ = [this](const ObjectKey& job) {
    queue_.add(job);
  };
  Store<TrainingJob> jobs_{scopes_, own_key, wake_};
  Store<Pod> pods_{scopes_, job_by_label<Pod>, wake_};
  std::map<Resource, Store<Companion>> companions_;
  ReportBoard reports_;
  std::list<Watcher> watchers_;
  std::list<std::unique_ptr<StatusServer>> status_servers_;
};

void Operator::watch() {
  for (const std::string& scope : scopes_) {
    watchers_.emplace_back(
        client_, WatchTarget{kTrainingJobs, scope, ""},
        std::make_unique<StoreWriter<TrainingJob>>(jobs_, scope, parse_training_job), clock_,
        count_restart_);
    watchers_.emplace_back(client_, WatchTarget{kPods, scope, names::kJobName},
                           std::make_unique<StoreWriter<Pod>>(pods_, scope, parse_pod), clock_,
                           count_restart_);
  }
  watch_companions(kServices);
  watch_companions(kNetworkPolicies);
}

void Operator::watch_companions(const Resource& resource) {
  const auto [entry, is_new] =
      companions_.try_emplace(resource, scopes_, job_by_label<Companion>, wake_);
  const auto parse = [resource](const nlohmann::json& object) {
    return parse_companion(resource, object);
  };
  for (const std::string& scope : scopes_) {
    watchers_.emplace_back(client_, WatchTarget{resource, scope, names::kJobName},
                           std::make_unique<StoreWriter<Companion>>(entry->second, scope, parse),
                           clock_, count_restart_);
  }
}

// Gang scheduling and queues are there for those who installed them before the operator starts.
Result<Platform> Operator::platform() {
  using Found = Result<std::optional<Resource>>;
  const auto served = [this](const char* integration, std::span<const Resource> kinds) -> Found {
    const auto& wanted = flags_.integrations;
    if (std::find(wanted.begin(), wanted.end(), integration) == wanted.end()) return std::nullopt;
    return first_served(client_, kinds, scopes_.front(), {});
  };
  Platform platform;
  platform.trainer_image = flags_.trainer_image;
  platform.launcher_image = flags_.launcher_image;
  for (const std::string& name : flags_.accelerators) platform.accelerators.push_back(name);
  platform.volcano = TRY(served("volcano", {&kVolcanoPodGroups, 1}));
  platform.coscheduling = TRY(served("coscheduling", {&kCoschedulingPodGroups, 1}));
  platform.native = TRY(served("native", kNativePodGroups));
  platform.has_kueue = TRY(served("kueue", {&kWorkloads, 1})).has_value();
  return platform;
}

bool Operator::is_synced() const {
  return jobs_.is_synced() && pods_.is_synced() &&
         std::all_of(companions_.begin(), companions_.end(),
                     [](const auto& entry) { return entry.second.is_synced(); });
}

// False when a signal came first.
bool Operator::wait_for_caches(const sigset_t& signals) const {
  while (!is_synced()) {
    if (got_signal(signals, kSyncPoll)) return false;
  }
  return true;
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
  log::info("serving",
            {{"address", flags_.health_address}, {"port", status_servers_.back()->port()}});
  return {};
}

int Operator::run(const sigset_t& signals) {
  if (const Result<void> served = serve_status(); !served) {
    std::cerr << "lockstep-operator: " << served.error().message << "\n";
    return contract::kExitUsage;
  }
  watch();
  if (!wait_for_caches(signals)) return contract::kExitFinished;
  Result<Platform> found = platform();
  while (!found) {
    log::warning("the optional kinds are not known yet", {{"error", found.error().message}});
    if (got_signal(signals, kDiscoveryPause)) return contract::kExitFinished;
    found = platform();
  }
  for (const auto& kind : {found->volcano, found->coscheduling, found->native}) {
    if (kind) watch_companions(*kind);
  }
  if (found->has_kueue) watch_companions(kWorkloads);
  if (!wait_for_caches(signals)) return contract::kExitFinished;
  log::info("the caches are filled", {{"jobs", jobs_.all().size()}, {"pods", pods_.all().size()}});
  Caches caches{jobs_, pods_, {}, &reports_};
  for (const auto& [resource, store] : companions_) caches.companions.push_back({resource, &store});
  Reconciler reconciler(client_, caches, *found, clock_,
                        [this](std::string_view to, std::string_view reason) {
                          metrics_.count_transition(to, reason);
                        });
  std::optional<ProgressPoller> poller;
  if (const std::chrono::seconds interval(flags_.progress_interval); interval.count() > 0) {
    poller.emplace(caches, reports_, wake_, clock_, interval);
  }
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

int main(int argc, char** argv) {
  const bool is_to_render = argc > 1 && std::string_view(argv[1]) == "render";
  return is_to_render ? lockstep::render(argc - 1, argv + 1) : lockstep::run(argc, argv);
}
