// A model that Python wrote with torch.jit.
#pragma once

#include <torch/csrc/jit/api/module.h>

#include "trainer/model/model.h"

namespace lockstep {

// Its operations are run as they stand in the file. Its parameters and buffers are the script's own
// tensors under the same dotted names: what is trained, moved or loaded here is so there.
class ScriptModel : public Model {
 public:
  // With `takes_lengths` forward() has two arguments, tokens and lengths, else one.
  ScriptModel(torch::jit::Module script, bool takes_lengths);

  at::Tensor forward(const Batch& batch) override;  // undefined when the script gives no tensor
  void train(bool is_on) override;

  const torch::jit::Module& script() const { return script_; }

 private:
  torch::jit::Module script_;
  bool takes_lengths_;
};

}  // namespace lockstep
