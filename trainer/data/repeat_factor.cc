// Whole copies, then the fractions by systematic sampling.
#include "trainer/data/repeat_factor.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>

#include "trainer/data/deal.h"
#include "trainer/data/random_permutation.h"
#include "trainer/data/random_stream.h"

namespace lockstep {
namespace {

double fraction(double factor) { return factor - std::floor(factor); }

double sum_of_fractions(std::span<const double> factors) {
  return std::accumulate(factors.begin(), factors.end(), 0.0,
                         [](double sum, double factor) { return sum + fraction(factor); });
}

std::vector<std::int64_t> shuffled(const std::vector<std::int64_t>& order, std::uint64_t seed) {
  std::vector<std::int64_t> result;
  result.reserve(order.size());
  for (const std::int64_t position : random_permutation(std::ssize(order), seed)) {
    result.push_back(order[position]);
  }
  return result;
}

}  // namespace

std::vector<double> repeat_factors(std::span<const std::int32_t> classes, double threshold) {
  std::map<std::int32_t, std::int64_t> count;
  for (const std::int32_t label : classes) ++count[label];
  std::vector<double> factors;
  factors.reserve(classes.size());
  for (const std::int32_t label : classes) {
    const double share = static_cast<double>(count[label]) / static_cast<double>(classes.size());
    factors.push_back(std::max(1.0, std::sqrt(threshold / share)));
  }
  return factors;
}

std::int64_t repeated_size(std::span<const double> factors) {
  std::int64_t size = 0;
  for (const double factor : factors) size += static_cast<std::int64_t>(factor);
  return size + static_cast<std::int64_t>(sum_of_fractions(factors));
}

std::vector<std::int64_t> repeated_order(const Sampling& sampling, std::span<const double> factors,
                                         std::int64_t epoch) {
  std::mt19937_64 engine(stream_seed(sampling.seed, epoch, Stream::kRepeats));
  const double start = uniform(engine);
  const double sum = sum_of_fractions(factors);
  const double extras = std::floor(sum);
  double walked =
      0;  // of the fractions, stretched to end at `extras`; an extra at start + 0, 1, ...
  double given = 0;
  std::int64_t left = std::ssize(factors);
  std::vector<std::int64_t> order;
  for (const std::int64_t sample : epoch_order(sampling, left, epoch)) {
    walked += sum > 0 ? fraction(factors[sample]) * extras / sum : 0;
    // The last one makes the count exact whatever the rounding.
    const double due = --left == 0 ? extras : std::min(std::floor(walked - start + 1), extras);
    order.insert(order.end(), static_cast<std::size_t>(std::floor(factors[sample]) + due - given),
                 sample);
    given = due;
  }
  return sampling.shuffle ? shuffled(order, engine()) : order;
}

}  // namespace lockstep
