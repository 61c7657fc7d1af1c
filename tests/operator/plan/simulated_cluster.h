// A cluster in memory that an operator can crash in: one job, its pods, and views of them that lag
// behind.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "operator/plan/decide.h"

namespace lockstep {

// Truth changes by write() and by the kubelet's and users' doings; the operator sees it as a watch
// shows it: never backwards, sometimes late. Each write checks what must never happen, and says
// what did in faults().
class SimulatedCluster {
 public:
  SimulatedCluster(int nodes, int backoff_limit, unsigned seed);

  // One step of the kubelet, of machines or of users; time passes.
  void live();
  // The kubelet only, and kindly: pods start, succeed and end.
  void live_kindly();

  // One pass of the operator over its view; with `may_crash` it may die between any two writes.
  void operate(bool may_crash);

  bool is_finished() const { return job_status().is_finished(); }
  JobStatus job_status() const { return parse_status(job_["status"]); }
  const std::vector<std::string>& faults() const { return faults_; }
  std::string picture() const;
  int crashes() const { return crashes_; }
  int conflicts() const { return conflicts_; }

 private:
  using Pods = std::map<std::string, nlohmann::json>;

  bool chance(double probability);
  nlohmann::json* any_pod();
  void start(nlohmann::json& pod);
  void finish(nlohmann::json& pod, int exit_code);
  void remember();
  void catch_up_view();

  bool write(const JobStatus& status, int observed_version);  // false: a conflict
  void write(const Action& action);
  void create(const Create& action);
  void remove(const DeletePod& action);
  void expect(bool holds, const std::string& what);

  std::mt19937 random_;
  Time now_;
  nlohmann::json job_;
  int job_version_ = 1;
  Pods pods_;
  std::vector<Pods> history_;  // of pods_, one entry a change
  std::size_t view_ = 0;       // what of it the operator has seen
  std::vector<Companion> companions_;
  int next_uid_ = 0;
  int crashes_ = 0;
  int conflicts_ = 0;
  std::vector<std::string> faults_;
};

}  // namespace lockstep
