// Weights from elsewhere, to start a training with.
#pragma once

#include <filesystem>

namespace torch::nn {
class Module;
}

namespace lockstep {

// Copies the tensors of a file, of safetensors or of torch.save(model.state_dict()), into the
// parameters and buffers of the same names. A "module." in front of all names, as
// DistributedDataParallel leaves it, is taken off. Throws BadData when the file is damaged;
// std::invalid_argument, naming up to three of each kind, when names are missing on either side or
// shapes differ. With `has_new_head` the last two parameters, the layer that scores classes, are
// left as they are where they do not fit.
void load_weights(const std::filesystem::path& file, torch::nn::Module& module, bool has_new_head);

}  // namespace lockstep
