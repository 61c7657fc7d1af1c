// TorchScript modules as files.
#pragma once

#include <filesystem>

namespace torch::jit {
struct Module;
}

namespace lockstep {

// What Python's torch.jit.load() reads. The file appears whole, in the place of an older one.
// Throws StorageError.
void write_script(const std::filesystem::path& path, const torch::jit::Module& module);

}  // namespace lockstep
