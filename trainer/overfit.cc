// A cut and a sentence.
#include "trainer/overfit.h"

#include <algorithm>
#include <cstdio>

#include "trainer/batches/subset.h"

namespace lockstep {
namespace {

constexpr std::int64_t kMostRounds = 100;  // of the samples in an epoch
constexpr double kLearnt = 0.1;            // of the loss is left, or less
constexpr double kFell = 0.9;

std::unique_ptr<Dataset> first_of(const std::shared_ptr<const Dataset>& whole, std::int64_t samples,
                                  std::int64_t rounds) {
  std::vector<std::int64_t> indices(static_cast<std::size_t>(samples * rounds));
  for (std::size_t i = 0; i < indices.size(); ++i) {
    indices[i] = static_cast<std::int64_t>(i) % samples;
  }
  return std::make_unique<Subset>(whole, std::move(indices));
}

const char* meaning(double share) {
  if (share <= kLearnt) return "the model can learn";
  if (share < kFell) {
    return "the model learns, but slowly: train longer (train.epochs), or try another optim.lr";
  }
  return "the model does not learn: look at optim.lr, the labels, data.mean and data.std, and at "
         "what the model returns";
}

}  // namespace

Datasets first_batches(Datasets data, const Config& config) {
  const std::int64_t batches = config.train.overfit_batches;
  if (batches == 0) return data;
  const std::shared_ptr<const Dataset> whole = std::move(data.train);
  const std::int64_t samples = std::min(batches * config.train.batch_size, whole->size());
  const std::int64_t rounds = std::min(kMostRounds, whole->size() / samples);
  return {first_of(whole, samples, rounds), first_of(whole, samples, 1)};
}

std::string overfit_verdict(std::int64_t samples, const Evaluation& before,
                            const Evaluation& after) {
  char text[400];
  std::snprintf(text, sizeof text,
                "overfit: the loss on %lld samples %s %.4f to %.4f, the accuracy is %.4f: %s",
                static_cast<long long>(samples),
                after.loss < before.loss ? "fell from" : "went from", before.loss, after.loss,
                after.accuracy, meaning(after.loss / before.loss));
  return text;
}

}  // namespace lockstep
