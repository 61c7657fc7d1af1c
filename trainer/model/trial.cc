// One batch, before any rank waits for another.
#include "trainer/model/trial.h"

#include <algorithm>
#include <stdexcept>

#include "trainer/torch.h"

namespace lockstep {
namespace {

constexpr std::int64_t kSize = 2;
constexpr std::int64_t kTextLength = 5;

std::vector<std::int64_t> wanted_scores(const DataShape& shape, std::int64_t length) {
  if (shape.kind == SampleKind::kWindows) return {kSize, length, shape.classes};
  return {kSize, shape.classes};
}

// One line of what LibTorch says: the last of a script's trace, which tells the fault itself.
std::string plain(const std::string& text) {
  std::string last;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (text.find_first_not_of(" ~^<-HERE", begin) < end) last = text.substr(begin, end - begin);
    begin = end + 1;
  }
  return last;
}

at::Tensor scores_of(Model& model, const Batch& batch, const std::string& origin) {
  try {
    return model.forward(batch);
  } catch (const c10::Error& error) {
    throw std::invalid_argument(origin + " cannot score samples of " +
                                c10::str(batch.inputs.sizes()) + ": " +
                                plain(error.what_without_backtrace()));
  } catch (const std::exception& error) {
    throw std::invalid_argument(origin + " cannot score samples of " +
                                c10::str(batch.inputs.sizes()) + ": " + plain(error.what()));
  }
}

}  // namespace

Batch made_up_batch(const DataShape& shape, std::int64_t size, std::int64_t length) {
  if (shape.kind == SampleKind::kPictures) {
    return {at::randn({size, shape.channels, shape.rows, shape.columns}), {}, {}};
  }
  const at::Tensor tokens = at::randint(shape.vocabulary, {size, length}, at::kLong);
  if (shape.kind == SampleKind::kWindows) return {tokens, {}, {}};
  const at::Tensor lengths = at::full({size}, length, at::kLong);
  lengths[size - 1] = std::max<std::int64_t>(1, size > 1 ? length - 1 : length);
  return {tokens, {}, lengths};
}

void require_scores(Model& model, const DataShape& shape, const std::string& origin) {
  const auto parameters = model.parameters();
  if (std::ranges::none_of(parameters, [](const auto& each) { return each.requires_grad(); })) {
    throw std::invalid_argument(origin + " has no parameter that can be trained");
  }
  const at::NoGradGuard no_grad;
  const std::int64_t length = shape.kind == SampleKind::kWindows ? shape.columns : kTextLength;
  const Batch batch = made_up_batch(shape, kSize, length);
  model.eval();
  const at::Tensor scores = scores_of(model, batch, origin);
  model.train();
  const auto wanted = wanted_scores(shape, length);
  if (scores.defined() && scores.sizes() == wanted && scores.is_floating_point()) return;
  throw std::invalid_argument(
      origin + " gives " +
      (scores.defined() ? c10::str(at::toString(scores.scalar_type()), " ", scores.sizes())
                        : "nothing") +
      " as the scores of samples " + c10::str(batch.inputs.sizes()) + "; the data needs " +
      c10::str(at::IntArrayRef(wanted)) + ": a number for each of " +
      std::to_string(shape.classes) +
      (shape.kind == SampleKind::kPictures || shape.kind == SampleKind::kTexts
           ? " classes"
           : " tokens, at each place"));
}

}  // namespace lockstep
