// A small GPT that predicts the next token, in nanoGPT's layout of parameters.
// Source: Radford et al., "Language Models are Unsupervised Multitask Learners", 2019: layer norm
// in front of attention and of the feed-forward layer, embedding and output share one matrix.
#include <cmath>

#include "trainer/model/positions.h"
#include "trainer/model/registry.h"
#include "trainer/torch.h"

namespace lockstep {
namespace {

using torch::nn::Embedding;
using torch::nn::LayerNorm;
using torch::nn::Linear;

constexpr double kInitialDeviation = 0.02;

// Each token looks at itself and at those before it.
class CausalAttention : public torch::nn::Module {
 public:
  explicit CausalAttention(const ModelConfig& config)
      : heads_(config.heads), dropout_(config.dropout) {
    c_attn_ = register_module("c_attn", Linear(config.width, 3 * config.width));
    c_proj_ = register_module("c_proj", Linear(config.width, config.width));
  }

  at::Tensor forward(const at::Tensor& x) {  // [batch, length, width]
    const auto parts = c_attn_->forward(x).chunk(3, /*dim=*/2);
    const at::Tensor looked =
        at::scaled_dot_product_attention(by_head(parts[0]), by_head(parts[1]), by_head(parts[2]),
                                         /*attn_mask=*/{}, is_training() ? dropout_ : 0.0,
                                         /*is_causal=*/true);
    const at::Tensor joined = looked.transpose(1, 2).flatten(2);
    return at::dropout(c_proj_->forward(joined), dropout_, is_training());
  }

 private:
  at::Tensor by_head(const at::Tensor& x) const {  // -> [batch, heads, length, width of a head]
    return x.unflatten(2, {heads_, -1}).transpose(1, 2);
  }

  std::int64_t heads_;
  double dropout_;
  Linear c_attn_{nullptr}, c_proj_{nullptr};
};

class FeedForward : public torch::nn::Module {
 public:
  explicit FeedForward(const ModelConfig& config) : dropout_(config.dropout) {
    c_fc_ = register_module("c_fc", Linear(config.width, 4 * config.width));
    c_proj_ = register_module("c_proj", Linear(4 * config.width, config.width));
  }

  at::Tensor forward(const at::Tensor& x) {
    return at::dropout(c_proj_->forward(at::gelu(c_fc_->forward(x))), dropout_, is_training());
  }

 private:
  double dropout_;
  Linear c_fc_{nullptr}, c_proj_{nullptr};
};

class Block : public torch::nn::Module {
 public:
  explicit Block(const ModelConfig& config) {
    const auto norm = [&config] { return LayerNorm(torch::nn::LayerNormOptions({config.width})); };
    ln_1_ = register_module("ln_1", norm());
    attn_ = register_module("attn", std::make_shared<CausalAttention>(config));
    ln_2_ = register_module("ln_2", norm());
    mlp_ = register_module("mlp", std::make_shared<FeedForward>(config));
  }

  at::Tensor forward(const at::Tensor& input) {
    const at::Tensor x = input + attn_->forward(ln_1_->forward(input));
    return x + mlp_->forward(ln_2_->forward(x));
  }

 private:
  LayerNorm ln_1_{nullptr}, ln_2_{nullptr};
  std::shared_ptr<CausalAttention> attn_;
  std::shared_ptr<FeedForward> mlp_;
};

class CharGpt : public Model {
 public:
  CharGpt(const ModelConfig& config, const DataShape& shape)
      : context_(shape.columns), dropout_(config.dropout) {
    const auto transformer =
        register_module("transformer", std::make_shared<torch::nn::Module>("transformer"));
    wte_ = transformer->register_module("wte", Embedding(shape.vocabulary, config.width));
    wpe_ = transformer->register_module("wpe", Embedding(context_, config.width));
    transformer->register_module("h", blocks_);
    for (int layer = 0; layer < config.layers; ++layer) {
      blocks_->push_back(std::make_shared<Block>(config));
    }
    ln_f_ = transformer->register_module("ln_f",
                                         LayerNorm(torch::nn::LayerNormOptions({config.width})));
    initialize(config);
  }

  at::Tensor forward(const Batch& batch) override {
    const at::Tensor& tokens = batch.inputs;  // [batch, length]
    const at::Tensor positions = positions_in(tokens).select(0, 0);
    at::Tensor x = wte_->forward(tokens) + wpe_->forward(positions);
    x = at::dropout(x, dropout_, is_training());
    for (const auto& block : *blocks_) x = block->as<Block>()->forward(x);
    return at::linear(ln_f_->forward(x), wte_->weight);
  }

 private:
  // Projections back into the residual stream are smaller, by the number of them.
  void initialize(const ModelConfig& config) {
    const at::NoGradGuard no_grad;
    for (auto& item : named_parameters()) {
      at::Tensor& parameter = item.value();
      const std::string& name = item.key();
      if (name.ends_with(".bias")) parameter.zero_();
      if (name.ends_with(".bias") || name.find("ln_") != std::string::npos) continue;
      const bool is_projection = name.ends_with("c_proj.weight");
      parameter.normal_(0,
                        kInitialDeviation / (is_projection ? std::sqrt(2.0 * config.layers) : 1));
    }
  }

  std::int64_t context_;
  double dropout_;
  Embedding wte_{nullptr}, wpe_{nullptr};
  torch::nn::ModuleList blocks_;
  LayerNorm ln_f_{nullptr};
};

}  // namespace

std::shared_ptr<Model> make_char_gpt(const ModelConfig& config, const DataShape& shape) {
  if (config.width % config.heads != 0) {
    throw std::invalid_argument("model.width " + std::to_string(config.width) +
                                " does not divide into " + std::to_string(config.heads) +
                                " model.heads: write a multiple of it");
  }
  return std::make_shared<CharGpt>(config, shape);
}

}  // namespace lockstep
