// What is told about a run, as lines of metrics.jsonl and as TensorBoard's scalars. Pure; the
// schema is in docs/metrics.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trainer/watch/event.h"

namespace lockstep {

// A run begins, or goes on, after `step` steps.
struct StartFigures {
  std::int64_t step = 0;
  std::int64_t steps = 0;       // of the whole run
  std::int64_t epochs = 0;      // of the whole run
  std::int64_t batch_size = 0;  // samples of a step over all ranks
  int ranks = 1;
  std::int64_t attempt = 0;   // from 1; 0 outside the operator
  std::string config_hash{};  // state_hash()
};

// Of the steps since the last of these, up to `step`; over all ranks. What is not known is empty.
struct TrainFigures {
  std::int64_t step = 0;   // optimizer steps done
  std::int64_t epoch = 0;  // the one of that step, from 1
  double loss = 0;         // mean
  double learning_rate = 0;
  std::optional<double> grad_norm{};         // before clipping, of step `step`
  std::optional<double> accuracy{};          // share of targets with the highest score, 0 to 1
  std::optional<double> top5{};              // share of targets among the five highest, 0 to 1
  std::optional<std::int64_t> batch_size{};  // samples of step `step`
  std::optional<double> samples_per_second{};
  std::optional<double> data_wait{};   // share of the time, 0 to 1
  std::optional<double> comm_wait{};   // share of the time, 0 to 1
  std::optional<double> mfu{};         // share of the devices' peak, 0 to 1
  std::optional<double> memory{};      // peak bytes in use on rank 0's device
  std::optional<double> loss_scale{};  // fp16's
};

// An evaluation of the state after `step` steps.
struct ValFigures {
  std::int64_t step = 0;
  std::int64_t epoch = 0;  // the one of that step, from 1
  double loss = 0;
  std::optional<double> accuracy{};
  std::optional<double> top5{};
  std::optional<double> seconds{};  // that it took
};

// One JSON object and a line feed. `time` is in seconds since 1970. Numbers have the fewest digits
// that read back as the same double; what is empty or no finite number is left out.
std::string line_of(const StartFigures& figures, double time);
std::string line_of(const TrainFigures& figures, double time);
std::string line_of(const ValFigures& figures, double time);

// Under the tags of GluonCV's engine, where it has one; its accuracies are percentages.
std::vector<Scalar> scalars_of(const TrainFigures& figures);
std::vector<Scalar> scalars_of(const ValFigures& figures);

}  // namespace lockstep
