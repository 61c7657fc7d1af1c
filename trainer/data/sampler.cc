// From a method's name to its sampler, and what each method needs to know.
#include "trainer/data/sampler.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "trainer/data/deal.h"
#include "trainer/data/dealt_sampler.h"
#include "trainer/data/length_bucket_sampler.h"
#include "trainer/data/multigrid_sampler.h"
#include "trainer/data/repeat_factor.h"
#include "trainer/data/weighted_order.h"
#include "trainer/errors.h"

namespace lockstep {
namespace {

// One value of at least 0 for each sample, or the method cannot work.
template <typename Value>
void require(const std::vector<Value>& values, const char* what, const Sampling& sampling,
             std::int64_t size) {
  if (values.empty()) {
    throw std::invalid_argument("data.sampler.name " + sampling.method.name + " needs " + what +
                                " of the samples, which this data set does not tell");
  }
  if (std::ssize(values) != size) {
    throw BadData("the data set tells " + std::to_string(values.size()) + " " + what + " for " +
                  std::to_string(size) + " samples");
  }
  const auto is_possible = [](Value value) {
    return value >= 0 && std::isfinite(static_cast<double>(value));
  };
  const auto fault = std::ranges::find_if_not(values, is_possible);
  if (fault != values.end()) {
    throw BadData("sample " + std::to_string(fault - values.begin()) + " has " + what + " " +
                  std::to_string(*fault) + ": must be a number from 0");
  }
}

void require_possible(const Sampling& sampling, const SampleFacts& facts) {
  if (facts.size < 1) {
    throw std::invalid_argument("the data set is empty: a sampler needs at least one sample");
  }
  if (sampling.world_size < 1) {
    throw std::invalid_argument("world size " + std::to_string(sampling.world_size) +
                                " is not possible: use 1 or more");
  }
  if (sampling.batch < 1) {
    throw std::invalid_argument("a batch of " + std::to_string(sampling.batch) +
                                " samples is not possible: use 1 or more");
  }
}

void require_weights(const Sampling& sampling, const SampleFacts& facts) {
  if (sampling.method.weights == "classes") {
    require(facts.classes, "classes", sampling, facts.size);
    return;
  }
  require(facts.weights, "weights", sampling, facts.size);
  const auto is_zero = [](double weight) { return weight == 0; };
  if (std::ranges::all_of(facts.weights, is_zero)) {
    throw BadData("the weights of all samples are 0: one must be above");
  }
}

void require_facts(const Sampling& sampling, const SampleFacts& facts) {
  require_possible(sampling, facts);
  const std::string& name = sampling.method.name;
  if (name == "length_bucket") require(facts.lengths, "lengths", sampling, facts.size);
  if (name == "repeat_factor") require(facts.classes, "classes", sampling, facts.size);
  if (name == "weighted") require_weights(sampling, facts);
}

// What the samplers of one order walk through.
std::vector<std::int64_t> order_of(const Sampling& sampling, const SampleFacts& facts,
                                   std::int64_t epoch) {
  const SamplerConfig& method = sampling.method;
  if (method.name == "repeat_factor") {
    return repeated_order(sampling, repeat_factors(facts.classes, method.threshold), epoch);
  }
  if (method.name == "weighted") {
    const bool is_balanced = method.weights == "classes";
    return weighted_order(sampling, is_balanced ? class_weights(facts.classes) : facts.weights,
                          epoch);
  }
  if (method.name == "distributed") return epoch_order(sampling, facts.size, epoch);
  throw std::invalid_argument("data.sampler.name " + method.name + " is no sampler");
}

std::vector<Stretch> multigrid_stretches(const Sampling& sampling, std::int64_t samples) {
  std::vector<Stretch> stretches = {{0, multigrid_batches(sampling, samples, 0)}};
  for (const int epoch : sampling.method.long_cycle) {
    stretches.push_back({epoch, multigrid_batches(sampling, samples, epoch)});
  }
  return stretches;
}

}  // namespace

std::unique_ptr<Sampler> make_sampler(const Sampling& sampling, const SampleFacts& facts,
                                      std::int64_t epoch) {
  require_facts(sampling, facts);
  const std::string& name = sampling.method.name;
  if (name == "length_bucket") {
    return std::make_unique<LengthBucketSampler>(sampling, facts.lengths, epoch);
  }
  if (name == "multigrid") return std::make_unique<MultigridSampler>(sampling, facts.size, epoch);
  return std::make_unique<DealtSampler>(sampling, order_of(sampling, facts, epoch));
}

std::vector<Stretch> stretches_of(const Sampling& sampling, const SampleFacts& facts) {
  require_facts(sampling, facts);
  const SamplerConfig& method = sampling.method;
  if (method.name == "length_bucket") {
    return {{0, length_bucket_batches(sampling, facts.lengths)}};
  }
  if (method.name == "multigrid") return multigrid_stretches(sampling, facts.size);
  if (method.name == "repeat_factor") {
    const auto factors = repeat_factors(facts.classes, method.threshold);
    return {{0, dealt_batches(sampling, repeated_size(factors))}};
  }
  return {{0, dealt_batches(sampling, facts.size)}};
}

}  // namespace lockstep
