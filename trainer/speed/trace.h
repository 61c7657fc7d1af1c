// Traces of a few steps, which chrome://tracing, Perfetto and TensorBoard show.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <optional>

#include "trainer/config/config.h"

namespace lockstep {

// From here on SIGUSR2 asks this process for a trace; before, it would end it.
void note_trace_requests();

// Writes `trace-rank-R.json` into a directory: every operator of this rank, with its threads and
// its kernels on a device, in log.profile_steps steps from step log.profile_at on, and from the
// next step on when SIGUSR2 asks. A later trace takes the place of an earlier one, whole. What goes
// wrong with the file is said and ends no training. Threads: the one that trains.
class Tracer {
 public:
  // Without a directory it says so, once, in place of a trace.
  Tracer(const LogConfig& config, const std::filesystem::path& directory, int rank,
         at::Device device);
  ~Tracer();  // ends a trace whose steps are not all done
  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;

  // To be called between steps: `step` of them are done.
  void between_steps(std::int64_t step);

 private:
  void begin(std::int64_t step);
  void end();

  LogConfig config_;
  std::filesystem::path file_;
  bool has_directory_;
  bool has_complained_ = false;
  at::Device device_;
  std::int64_t first_ = 0;            // step that the trace begins with
  std::optional<std::int64_t> last_;  // set while it goes on: after so many steps it ends
};

}  // namespace lockstep
