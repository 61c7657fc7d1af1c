// A cluster in memory, for tests that play histories: one job's objects, what happens to them, and
// what must never happen.
#pragma once

#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "operator/plan/decide.h"

namespace lockstep {

// A value: copies go their own ways. Each write of an operator is checked against what must hold,
// and what did not is said in faults().
class World {
 public:
  using Pods = std::map<std::string, nlohmann::json>;

  World(int nodes, const nlohmann::json& run_policy);

  // The doings of time, users, kubelets and machines.
  void wait(std::chrono::milliseconds time) { now_ += time; }
  void set_suspended(bool value);
  void recreate_job();  // deleted and made again by the same name: the pods are still there
  void start(const std::string& pod);
  void finish(const std::string& pod, int exit_code);
  void evict(const std::string& pod);   // marked for disruption and deleted
  void remove(const std::string& pod);  // somebody deletes it; the kubelet ends it
  void vanish(const std::string& pod);  // its object goes

  // What an operator sees whose cache of pods is `pods`; its live GETs see the truth.
  Observed observed(const Pods& pods) const;

  // Whether a plan made from `seen` may go on, as Reconciler::is_current says.
  bool is_current(const TrainingJob& seen) const;

  // An operator's writes. False: a conflict, since the job is no longer at that version.
  bool write(const JobStatus& status, int observed_version);
  void write(const Action& action);

  const Pods& pods() const { return pods_; }
  Time now() const { return now_; }
  int version() const { return version_; }
  bool is_suspended() const;
  bool is_over(const std::string& pod) const;
  bool is_pending(const std::string& pod) const;
  bool is_going(const std::string& pod) const;
  bool is_ours(const std::string& pod) const;
  JobStatus status() const { return parse_status(job_.at("status")); }
  const std::vector<std::string>& faults() const { return faults_; }
  std::string picture() const;
  // Equal for worlds that differ only in when they are.
  std::string key() const;

 private:
  // What really happened to the nodes of an attempt.
  struct History {
    std::set<int> succeeded;
    bool had_failure = false;
    bool had_disruption = false;
  };

  nlohmann::json& at(const std::string& pod) { return pods_.at(pod); }
  void note_disruption(const std::string& pod);
  History& history_of(const std::string& pod);
  void check_charge(const JobStatus& before, const JobStatus& after);
  void check_end(const JobStatus& after);
  void create(const Create& action);
  void remove(const DeletePod& action);
  void expect(bool holds, const std::string& what);

  Time now_;
  nlohmann::json job_;
  int version_ = 1;
  Pods pods_;
  std::vector<Companion> companions_;
  std::map<int, History> attempts_;
  int next_uid_ = 0;
  std::vector<std::string> faults_;
};

}  // namespace lockstep
