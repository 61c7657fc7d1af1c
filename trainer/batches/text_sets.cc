// Copies token numbers into tensors.
#include "trainer/batches/text_sets.h"

#include <stdexcept>

#include "trainer/torch.h"

namespace lockstep {
namespace {

std::span<std::int64_t> values_of(const at::Tensor& tensor) {
  return {tensor.mutable_data_ptr<std::int64_t>(), static_cast<std::size_t>(tensor.numel())};
}

template <typename Value>
at::Tensor picked(const std::vector<Value>& values, std::span<const std::int64_t> indices) {
  const at::Tensor result = at::empty({static_cast<std::int64_t>(indices.size())}, at::kLong);
  const auto cells = values_of(result);
  for (std::size_t i = 0; i < indices.size(); ++i) cells[i] = values.at(indices[i]);
  return result;
}

}  // namespace

LabelledTexts::LabelledTexts(EncodedTexts texts, std::vector<std::int32_t> labels,
                             std::int64_t vocabulary, std::int64_t classes, std::uint32_t identity)
    : texts_(std::move(texts)),
      shape_{.kind = SampleKind::kTexts,
             .rows = 1,
             .columns = 1,
             .vocabulary = vocabulary,
             .classes = classes},
      facts_{.size = texts_.size(),
             .lengths = {texts_.lengths().begin(), texts_.lengths().end()},
             .classes = std::move(labels),
             .weights = {}},
      identity_(identity) {}

Batch LabelledTexts::batch(std::span<const std::int64_t> indices,
                           const std::optional<Variation>&) const {
  const auto count = static_cast<std::int64_t>(indices.size());
  const at::Tensor ids = at::empty({count, texts_.width(indices)}, at::kLong);
  texts_.copy_padded(indices, values_of(ids));
  return {.inputs = ids,
          .targets = picked(facts_.classes, indices),
          .lengths = picked(facts_.lengths, indices)};
}

TokenWindows::TokenWindows(Tokens tokens, std::int64_t first, std::int64_t last,
                           std::int64_t context, std::int64_t vocabulary)
    : tokens_(std::move(tokens)),
      first_(first),
      shape_{.kind = SampleKind::kWindows,
             .rows = 1,
             .columns = context,
             .vocabulary = vocabulary,
             .classes = vocabulary},
      facts_{.size = (last - first - 1) / context, .lengths = {}, .classes = {}, .weights = {}},
      identity_(tokens_.identity() ^ static_cast<std::uint32_t>(first)) {
  if (facts_.size > 0) return;
  throw std::invalid_argument("data.context " + std::to_string(context) + " is longer than the " +
                              std::to_string(last - first) + " tokens there are");
}

Batch TokenWindows::batch(std::span<const std::int64_t> indices,
                          const std::optional<Variation>&) const {
  const std::int64_t context = shape_.columns;
  const auto count = static_cast<std::int64_t>(indices.size());
  const at::Tensor inputs = at::empty({count, context}, at::kLong);
  const at::Tensor targets = at::empty({count, context}, at::kLong);
  for (std::int64_t i = 0; i < count; ++i) {
    tokens_.window(first_ + indices[i] * context, shape_.vocabulary, values_of(inputs[i]),
                   values_of(targets[i]));
  }
  return {.inputs = inputs, .targets = targets, .lengths = {}};
}

}  // namespace lockstep
