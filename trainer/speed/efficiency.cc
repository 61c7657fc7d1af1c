// Divisions; the counting is FlopCount's.
#include "trainer/speed/efficiency.h"

#include "trainer/speed/cuda_name.h"
#include "trainer/speed/device_peak.h"
#include "trainer/speed/memory.h"
#include "trainer/torch.h"

namespace lockstep {
namespace {

constexpr double kPassesOfAStep = 3;  // one forward, two for the gradients

std::optional<double> peak_of(const Config& config, at::Device device) {
  if (config.log.peak_tflops > 0) return config.log.peak_tflops * 1e12;
  return peak_flops(cuda_name(device), config.train.precision);
}

}  // namespace

Efficiency::Efficiency(const Config& config, at::Device device, int ranks)
    : device_(device), peak_(peak_of(config, device)) {
  if (peak_) *peak_ *= ranks;
}

std::optional<FlopCount> Efficiency::count_once(std::int64_t samples) {
  if (samples_ > 0) return std::nullopt;
  samples_ = samples;
  return std::optional<FlopCount>(std::in_place, &flops_);
}

Figures Efficiency::completed(Figures figures) const {
  figures.memory = peak_memory(device_);
  if (peak_ && figures.samples_per_second && flops_ > 0) {
    figures.mfu = *figures.samples_per_second * kPassesOfAStep * *flops_per_sample() / *peak_;
  }
  return figures;
}

std::optional<double> Efficiency::flops_per_sample() const {
  if (samples_ == 0) return std::nullopt;
  return flops_ / static_cast<double>(samples_);
}

}  // namespace lockstep
