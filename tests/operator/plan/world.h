// A cluster in memory, for tests that play histories: some jobs and their objects, what happens to
// them, and what must never happen.
#pragma once

#include <chrono>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "operator/plan/decide.h"
#include "tests/operator/plan/stored_job.h"

namespace lockstep {

// A value: copies go their own ways. Each write of an operator is checked against what must hold,
// and what did not is said in faults().
class World {
 public:
  using Pods = std::map<std::string, nlohmann::json>;
  using Jobs = std::map<std::string, StoredJob>;

  // `quota`: of pods that have not ended.
  explicit World(const std::vector<StoredJob>& jobs, int quota = std::numeric_limits<int>::max());

  // The doings of time, users, kubelets and machines.
  void wait(std::chrono::milliseconds time) { now_ += time; }
  void set_suspended(const std::string& job, bool value) { at(job).set_suspended(value); }
  // By the same name: the pods are still there.
  void recreate_job(const std::string& job) { at(job).recreate(); }
  void take_name(const std::string& pod);  // a stranger makes a pod that bears no label of ours
  void start(const std::string& pod);
  void finish(const std::string& pod, int exit_code);
  void evict(const std::string& pod);   // marked for disruption and deleted
  void remove(const std::string& pod);  // somebody deletes it; the kubelet ends it
  void vanish(const std::string& pod);  // its object goes
  void refuse_for_good(const std::string& job) { at(job).note_refusal_for_good(); }

  // What an operator sees of a job whose cache of pods is `pods`; its live GETs see the truth.
  Observed observed(const std::string& job, const Pods& pods) const;

  // Whether a plan made from `seen` may go on, as Reconciler::is_current says.
  bool is_current(const TrainingJob& seen) const;

  // An operator's writes for a job. False: a conflict, since the job is no longer at that version.
  bool write(const std::string& job, const JobStatus& status, int observed_version);
  // A refusal, if there is one: of the attempt that the caller knows.
  std::optional<RefusedCreate> write(const std::string& job, const Action& action);

  const Jobs& jobs() const { return jobs_; }
  const StoredJob& job(const std::string& name) const { return jobs_.at(name); }
  const Pods& pods() const { return pods_; }
  Time now() const { return now_; }
  bool is_over(const std::string& pod) const;
  bool is_pending(const std::string& pod) const;
  bool is_going(const std::string& pod) const;
  bool is_ours(const std::string& pod) const;  // of a job that there is
  bool is_finished() const;                    // every job
  const std::vector<std::string>& faults() const { return faults_; }
  std::string picture() const;
  // Equal for worlds that differ only in when they are.
  std::string key() const;

 private:
  StoredJob& at(const std::string& job) { return jobs_.at(job); }
  StoredJob* owner_of(const nlohmann::json& pod);  // nullptr: none that there still is
  void note_disruption(const std::string& pod);
  std::optional<RefusedCreate> create(StoredJob& job, const Create& action);
  std::optional<RefusedCreate> create_pod(StoredJob& job, const Create& action);
  void remove(const StoredJob& job, const DeletePod& action);
  int counted_by_quota() const;
  void expect(bool holds, const std::string& what);

  Time now_;
  Jobs jobs_;
  int quota_;
  Pods pods_;
  std::map<std::string, std::vector<Companion>> companions_;  // by the uid of their job
  int next_uid_ = 0;
  std::vector<std::string> faults_;
};

}  // namespace lockstep
