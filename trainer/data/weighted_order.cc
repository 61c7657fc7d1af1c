// Inversion of the cumulative weights.
#include "trainer/data/weighted_order.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <random>

#include "trainer/data/random_stream.h"

namespace lockstep {

std::vector<double> class_weights(std::span<const std::int32_t> classes) {
  std::map<std::int32_t, double> count;
  for (const std::int32_t label : classes) ++count[label];
  std::vector<double> weights;
  weights.reserve(classes.size());
  for (const std::int32_t label : classes) weights.push_back(1 / count[label]);
  return weights;
}

std::vector<std::int64_t> weighted_order(const Sampling& sampling, std::span<const double> weights,
                                         std::int64_t epoch) {
  std::vector<double> upper(weights.size());
  std::partial_sum(weights.begin(), weights.end(), upper.begin());
  const double sum = upper.back();
  const auto last = std::ranges::lower_bound(upper, sum);  // rounding may not pass the last weight
  std::mt19937_64 engine(stream_seed(sampling.seed, epoch, Stream::kWeights));
  std::vector<std::int64_t> order(weights.size());
  for (std::int64_t& sample : order) {
    const auto above = std::ranges::upper_bound(upper.begin(), last, uniform(engine) * sum);
    sample = above - upper.begin();
  }
  return order;
}

}  // namespace lockstep
