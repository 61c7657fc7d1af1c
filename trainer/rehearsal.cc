// What the trainer does beside training: a dry run and a benchmark, with the same steps.
#include <chrono>
#include <filesystem>
#include <numeric>

#include "trainer/batches/subset.h"
#include "trainer/dry_run.h"
#include "trainer/speed/step_times.h"
#include "trainer/torch.h"
#include "trainer/trainer.h"

namespace lockstep {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMoreSteps = 3;  // than the first, in a dry run

template <typename Work>
double seconds_of(const Work& work) {
  const Clock::time_point began = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - began).count();
}

// At most `count` samples of `data`, which outlives them.
Subset first_of(const Dataset& data, std::int64_t count) {
  std::vector<std::int64_t> indices(static_cast<std::size_t>(std::min(count, data.size())));
  std::iota(indices.begin(), indices.end(), 0);
  return {std::shared_ptr<const Dataset>(std::shared_ptr<void>(), &data), std::move(indices)};
}

double size_of(const std::filesystem::path& directory) {
  double bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    bytes += static_cast<double>(entry.file_size());
  }
  return bytes;
}

// (all) The mean over ranks.
double mean(Group& group, double seconds) {
  const at::Tensor sum = at::full({1}, seconds, at::dtype(at::kDouble).device(group.device()));
  group.all_reduce(sum);
  return sum.item<double>() / group.size();
}

// (all) The reducer tells its whole wait, for buffers in the forward pass and for gradients.
void describe(Group& group, const Split& split, const Figures& figures, BenchFigures& seen) {
  const auto steps = static_cast<double>(seen.steps);
  const auto part = [&](const char* name) {
    const auto found = split.seconds.find(name);
    return mean(group, found == split.seconds.end() ? 0 : found->second / steps);  // (all)
  };
  const double whole =
      mean(group, std::accumulate(split.steps.begin(), split.steps.end(), 0.0) / steps);
  const double buffers = part("buffers");
  seen.data_wait = part("data");
  seen.forward = part("forward");
  seen.backward = part("backward");
  seen.optimizer = part("optimizer");
  if (figures.comm_wait) {
    seen.comm_wait = mean(group, *figures.comm_wait * whole);
    seen.backward -= *seen.comm_wait - buffers;
  } else {
    seen.backward += buffers;
  }
  seen.rest = whole - seen.data_wait - seen.forward - seen.backward - seen.comm_wait.value_or(0) -
              seen.optimizer;
  seen.samples_per_second = *figures.samples_per_second;
  seen.median = quantile(split.steps, 0.5);
  seen.p95 = quantile(split.steps, 0.95);
  seen.mfu = figures.mfu;
  seen.memory = figures.memory;
}

}  // namespace

std::string Trainer::rehearse() {
  checkpoints_.own();
  resume();  // (all)
  Rehearsal seen{.resumed_from = step_, .ranks = group_.size()};
  for (const at::Tensor& parameter : model_->parameters()) seen.parameters += parameter.numel();
  model_->train();
  std::vector<double> times;
  while (times.size() <= kMoreSteps && step_ < plan_.total_steps) {
    times.push_back(seconds_of([&] {
      train_step(plan_.at(step_));  // (all)
      loss_.take(group_, step_);    // (all) waits for the device
    }));
  }
  if (!times.empty()) seen.first_step = times.front();
  if (times.size() > 1) seen.step = quantile({times.begin() + 1, times.end()}, 0.5);
  const std::int64_t batch = config_.train.eval_batch_size;
  seen.evaluation_batches = (data_.val->size() + batch - 1) / batch;
  seen.evaluation_batch = seconds_of([&] { evaluated(first_of(*data_.val, batch)); });  // (all)
  seen.memory = efficiency_.completed({}).memory;
  if (!checkpoints_.is_writer()) return summary(seen, plan_);
  seen.save = seconds_of([&] { save(); });
  const std::filesystem::path directory = config_.checkpoint.directory;
  seen.checkpoint_size = size_of(directory / ("step-" + std::to_string(step_)));
  return summary(seen, plan_);
}

bool Trainer::train_steps(std::int64_t count) {
  for (std::int64_t step = 0; step < count; ++step) {
    if (group_.any_asked(stop_requested_)) return false;  // (all)
    train_step(plan_.at(step_));                          // (all)
  }
  return true;
}

std::optional<BenchFigures> Trainer::bench(const BenchPlan& plan) {
  BenchFigures seen{.what = config_.model.name + " on " + group_.device().str(),
                    .ranks = group_.size(),
                    .batch_size = plan_.batch_size,
                    .steps = plan.steps};
  bool is_whole = true;
  const auto take_steps = [&](std::int64_t count) {
    return seconds_of([&] {
      is_whole = is_whole && train_steps(count);         // (all)
      if (!loss_.is_empty()) loss_.take(group_, step_);  // (all) waits for the device
    });
  };
  model_->train();
  seen.first_step = take_steps(1);
  if (is_whole && plan.warmup > 0) take_steps(plan.warmup);
  if (!is_whole) return std::nullopt;
  progress_.measure(step_, 0, Clock::now());  // begins anew
  StepTimes times(group_.device());
  if (!train_steps(plan.steps)) return std::nullopt;
  const Split split = times.split();
  const Figures figures = efficiency_.completed(progress_.measure(step_, 0, Clock::now()));
  describe(group_, split, figures, seen);  // (all)
  seen.flops_per_sample = efficiency_.flops_per_sample();
  return seen;
}

}  // namespace lockstep
