// A job as the API server of the cluster in memory holds it, with what really happened to its
// nodes; and what must hold of every status that is written.
#pragma once

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "operator/plan/observed.h"

namespace lockstep {

class StoredJob {
 public:
  StoredJob(const std::string& name, int nodes, const nlohmann::json& run_policy);

  // The doings of users.
  void set_suspended(bool value);
  void recreate();  // deleted and made again by the same name

  // What is wrong with the write; the version is the caller's to check.
  std::vector<std::string> write(const JobStatus& status);

  const TrainingJob& job() const { return *parsed_; }
  const JobStatus& status() const { return parsed_->status; }
  const std::string& name() const { return parsed_->meta.name; }
  const std::string& uid() const { return parsed_->meta.uid; }
  int version() const { return version_; }
  bool is_suspended() const { return parsed_->spec.run_policy.is_suspended; }

  // What really happened, by attempt.
  void note_success(int attempt, int rank) { attempts_[attempt].succeeded.insert(rank); }
  void note_failure(int attempt) { attempts_[attempt].had_failure = true; }
  void note_disruption(int attempt) { attempts_[attempt].had_disruption = true; }
  void note_refusal_for_good() { was_refused_for_good_ = true; }

  // All that later decisions and checks depend on.
  nlohmann::json key() const;

 private:
  struct History {
    std::set<int> succeeded;
    bool had_failure = false;
    bool had_disruption = false;
  };

  void changed();
  void check_charge(const JobStatus& after, std::vector<std::string>& faults);
  void check_end(const JobStatus& after, std::vector<std::string>& faults);

  nlohmann::json object_;
  std::shared_ptr<const TrainingJob> parsed_;  // object_, read; copies of the cluster share it
  int version_ = 0;
  std::map<int, History> attempts_;
  bool was_refused_for_good_ = false;
};

}  // namespace lockstep
