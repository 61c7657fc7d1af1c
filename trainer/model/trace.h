// A model as a TorchScript module, which runs without lockstep.
#pragma once

#include <functional>
#include <string>

#include "trainer/model/model.h"

namespace torch::jit {
struct Module;
}

namespace lockstep {

// What `model` computes in evaluation, as forward(inputs), or forward(inputs, lengths) for texts.
// It shares the model's parameters and buffers, under their dotted names. Recorded while the model
// scores made-up samples, then compared with it on batches of other sizes and, of texts and
// windows, other lengths. `tell` hears of windows that must keep their length. A model of
// model.name torchscript is its own script, training mode and all. Leaves `model` in evaluation.
// Throws std::invalid_argument when the model cannot be recorded, or its operations fit one size of
// batch only.
torch::jit::Module script_of(Model& model, const DataShape& shape,
                             const std::function<void(const std::string&)>& tell);

}  // namespace lockstep
