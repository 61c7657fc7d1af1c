// Classifies texts of unequal length: an embedding, a bidirectional GRU over the tokens before the
// padding, and a linear layer over the mean and the maximum of what it saw.
// Source: Cho et al., arXiv 1406.1078 (GRU); Schuster and Paliwal, 1997 (both directions).
#include "trainer/model/positions.h"
#include "trainer/model/registry.h"
#include "trainer/torch.h"

namespace lockstep {
namespace {

class TextClassifier : public Model {
 public:
  TextClassifier(const ModelConfig& config, const DataShape& shape) : dropout_(config.dropout) {
    embedding_ = register_module("embedding", torch::nn::Embedding(shape.vocabulary, config.width));
    gru_ = register_module("gru", torch::nn::GRU(torch::nn::GRUOptions(config.width, config.width)
                                                     .num_layers(config.layers)
                                                     .bidirectional(true)
                                                     .batch_first(true)));
    fc_ = register_module("fc", torch::nn::Linear(4 * config.width, shape.classes));
  }

  at::Tensor forward(const Batch& batch) override {
    const at::Tensor words =
        at::dropout(embedding_->forward(batch.inputs), dropout_, is_training());
    const at::Tensor states = states_of(words, batch.lengths);
    return fc_->forward(at::dropout(pooled(states, batch.lengths), dropout_, is_training()));
  }

 private:
  // [batch, length, width] -> [batch, length, 2 * width]: longer texts first, as the GRU wants
  // them, then in their own order again. torch::nn::GRU would do the same, but for a batch of a
  // fixed size once it is traced (trace.h).
  at::Tensor states_of(const at::Tensor& words, const at::Tensor& lengths) {
    const auto [sorted, order] = lengths.sort(/*dim=*/0, /*descending=*/true);
    const at::Tensor places = order.to(words.device());
    const auto [packed, sizes] =
        at::_pack_padded_sequence(words.index_select(0, places), sorted, /*batch_first=*/true);
    const std::int64_t layers = 2 * gru_->options.num_layers();
    const at::Tensor start = at::zeros_like(words.select(1, 0)).unsqueeze(0).repeat({layers, 1, 1});
    const at::Tensor seen = std::get<0>(
        at::gru(packed, sizes, start, gru_->all_weights(), /*has_biases=*/true,
                gru_->options.num_layers(), /*dropout=*/0, is_training(), /*bidirectional=*/true));
    constexpr std::int64_t kNoLonger = -1;
    const at::Tensor states = std::get<0>(at::_pad_packed_sequence(
        seen, sizes, /*batch_first=*/true, /*padding_value=*/0, kNoLonger));
    return states.index_select(0, places.argsort());
  }

  // [batch, length, 2 * width] -> [batch, 4 * width]. Padding is zero in `states`.
  static at::Tensor pooled(const at::Tensor& states, const at::Tensor& lengths) {
    const at::Tensor counts = lengths.to(states.device()).unsqueeze(1);
    const at::Tensor is_padding = positions_in(states.select(2, 0)).ge(counts).unsqueeze(2);
    constexpr double kLeast = -2;  // below anything a GRU gives
    const at::Tensor largest = std::get<0>(states.masked_fill(is_padding, kLeast).max(1));
    return at::cat({states.sum(1) / counts, largest}, 1);
  }

  double dropout_;
  torch::nn::Embedding embedding_{nullptr};
  torch::nn::GRU gru_{nullptr};
  torch::nn::Linear fc_{nullptr};
};

}  // namespace

std::shared_ptr<Model> make_text_classifier(const ModelConfig& config, const DataShape& shape) {
  return std::make_shared<TextClassifier>(config, shape);
}

}  // namespace lockstep
