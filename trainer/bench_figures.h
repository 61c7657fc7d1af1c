// `lockstep-train bench`: what is measured, and how it is shown. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace lockstep {

struct BenchPlan {
  std::int64_t warmup = 5;  // steps after the first one that are not measured
  std::int64_t steps = 50;  // that are

  std::int64_t all() const { return 1 + warmup + steps; }
};

// Times are in seconds; those of parts are of one step, mean over steps and ranks.
struct BenchFigures {
  std::string what{};  // "lenet, made-up data, cpu"
  int ranks = 1;
  std::int64_t batch_size = 0;  // over all ranks
  std::int64_t steps = 0;
  double samples_per_second = 0;  // of all ranks
  double first_step = 0;
  double median = 0, p95 = 0;  // of rank 0's steps
  double data_wait = 0, forward = 0, backward = 0, optimizer = 0, rest = 0;
  std::optional<double> comm_wait{};         // empty where backward holds it
  std::optional<double> flops_per_sample{};  // of a forward pass
  std::optional<double> mfu{}, memory{};     // as in Figures
};

// A table for people; one JSON object on a line.
std::string table_of(const BenchFigures& figures);
std::string json_of(const BenchFigures& figures);

}  // namespace lockstep
