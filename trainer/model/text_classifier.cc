// Classifies texts of unequal length: an embedding, a bidirectional GRU over the tokens before the
// padding, and a linear layer over the mean and the maximum of what it saw.
// Source: Cho et al., arXiv 1406.1078 (GRU); Schuster and Paliwal, 1997 (both directions).
#include "trainer/model/model.h"
#include "trainer/torch.h"

namespace lockstep {
namespace {

namespace rnn = torch::nn::utils::rnn;

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
    const auto packed = rnn::pack_padded_sequence(words, batch.lengths, /*batch_first=*/true,
                                                  /*enforce_sorted=*/false);
    const auto seen = std::get<0>(gru_->forward_with_packed_input(packed));
    const at::Tensor states = std::get<0>(rnn::pad_packed_sequence(seen, /*batch_first=*/true));
    return fc_->forward(at::dropout(pooled(states, batch.lengths), dropout_, is_training()));
  }

 private:
  // [batch, length, 2 * width] -> [batch, 4 * width]. Padding is zero in `states`.
  static at::Tensor pooled(const at::Tensor& states, const at::Tensor& lengths) {
    const at::Tensor counts = lengths.to(states.device()).unsqueeze(1);
    const at::Tensor is_padding =
        at::arange(states.size(1), counts.options()).unsqueeze(0).ge(counts).unsqueeze(2);
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
