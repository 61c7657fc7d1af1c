// LibTorch's own profiler, Kineto.
#include "trainer/speed/trace.h"

#include <signal.h>
#include <torch/csrc/autograd/profiler_kineto.h>

#include <atomic>
#include <exception>
#include <set>
#include <string>
#include <system_error>

#include "trainer/log_line.h"
#include "trainer/torch.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using namespace torch::profiler::impl;

std::atomic<bool> is_requested = false;
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void request_trace(int) { is_requested = true; }

std::set<ActivityType> activities_on(at::Device device) {
  if (device.is_cpu()) return {ActivityType::CPU};
  return {ActivityType::CPU, ActivityType::CUDA};
}

// Shapes tell calls of one operator apart.
ProfilerConfig with_shapes() {
  return ProfilerConfig(ProfilerState::KINETO, /*report_input_shapes=*/true);
}

void write(torch::autograd::profiler::ProfilerResult& trace, const fs::path& file) {
  fs::create_directories(file.parent_path());
  // Kineto looks at the end of the name: it must be .json.
  fs::path aside = file;
  aside.replace_filename(".").concat(file.filename().string());
  trace.save(aside.string());  // says nothing when it fails
  fs::rename(aside, file);
}

}  // namespace

void note_trace_requests() {
  struct sigaction action {};
  action.sa_handler = request_trace;
  action.sa_flags = SA_RESTART;
  sigaction(SIGUSR2, &action, nullptr);
}

Tracer::Tracer(const LogConfig& config, const fs::path& directory, int rank, at::Device device)
    : config_(config),
      file_(directory / ("trace-rank-" + std::to_string(rank) + ".json")),
      has_directory_(!directory.empty()),
      device_(device) {}

Tracer::~Tracer() {
  if (last_) end();
}

void Tracer::between_steps(std::int64_t step) {
  if (last_ && step >= *last_) end();
  const bool is_planned = config_.profile_at > 0 && step + 1 == config_.profile_at;
  const bool is_asked =
      is_requested.load(std::memory_order_relaxed) && is_requested.exchange(false);
  if (last_ || !(is_planned || is_asked)) return;
  if (has_directory_) return begin(step);
  if (has_complained_) return;
  has_complained_ = true;
  log_line(
      "warning: no trace: set log.directory or checkpoint.directory, where it is to be written");
}

void Tracer::begin(std::int64_t step) {
  namespace profiler = torch::autograd::profiler;
  profiler::prepareProfiler(with_shapes(), activities_on(device_));
  profiler::enableProfiler(
      with_shapes(), activities_on(device_),
      {at::RecordScope::FUNCTION, at::RecordScope::USER_SCOPE, at::RecordScope::BACKWARD_FUNCTION});
  first_ = step + 1;
  last_ = step + config_.profile_steps;
}

void Tracer::end() {
  last_.reset();
  const auto trace = torch::autograd::profiler::disableProfiler();
  try {
    write(*trace, file_);
    log_line("trace from step " + std::to_string(first_) + " on: " + file_.string());
  } catch (const std::exception& error) {
    log_line("warning: cannot write the trace " + file_.string() + ": " + error.what());
  }
}

}  // namespace lockstep
