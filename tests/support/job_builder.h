// Jobs and pods for tests of plan: a_job().nodes(3).running().failed(1, 3).observed().
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "operator/plan/observed.h"

namespace lockstep {

// An instant that tests count from.
inline const Time kNoon = *parse_time("2026-01-02T12:00:00Z");

inline Time after(double seconds) {
  return kNoon + std::chrono::milliseconds(static_cast<int>(seconds * 1000));
}

// Builds the JSON that the API server would send, so that what is tested is read like the real
// thing.
class JobBuilder {
 public:
  JobBuilder();

  JobBuilder& nodes(int count);
  JobBuilder& spec(const nlohmann::json& patch);  // merged over
  JobBuilder& label(const std::string& name, const std::string& value);
  JobBuilder& status(const nlohmann::json& patch);    // merged over
  JobBuilder& metadata(const nlohmann::json& patch);  // merged over
  JobBuilder& attempt(int number);                    // begun at noon; pods come with it

  // All nodes of the attempt exist and run, and status says so since noon.
  JobBuilder& running();
  JobBuilder& scheduled(int rank);  // its pod exists and starts
  JobBuilder& started(int rank);
  JobBuilder& succeeded(int rank);
  JobBuilder& failed(int rank, int exit_code = 1, double finished = 0,
                     const std::string& message = "", const std::string& reason = "Error");
  JobBuilder& evicted(int rank, double at = 0);
  JobBuilder& terminating(int rank, double at = 0);  // somebody deleted its pod, with 60 s of grace
  JobBuilder& gone(int rank);                        // and a live GET says so
  JobBuilder& pod(int rank, const nlohmann::json& patch);
  JobBuilder& with_companions();  // its Service and NetworkPolicy exist

  TrainingJob job() const;
  Observed observed() const;

 private:
  nlohmann::json& at(int rank);
  JobBuilder& trainer(int rank, const std::string& phase, const nlohmann::json& state);

  nlohmann::json object_;
  std::vector<nlohmann::json> pods_;
  std::set<int> gone_;
  bool has_companions_ = false;
};

inline JobBuilder a_job() { return JobBuilder(); }

// The object as the API server would return it: with a uid.
Pod as_stored(nlohmann::json pod, const std::string& uid);

}  // namespace lockstep
