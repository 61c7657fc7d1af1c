// `lockstep-train export` to TorchScript: a checkpoint's model with its operations, to be run by
// torch.jit.load() or by any LibTorch.
#pragma once

#include "trainer/export_command.h"

namespace lockstep {

// Whether the name asks for it: FILE.torchscript or FILE.torchscript.pt.
bool is_script_name(const std::filesystem::path& path);

// Builds the model by the checkpoint's own configuration, laid over with request.overrides, without
// its data; see script_of() for what becomes of it. Weights and errors as of export_weights();
// std::invalid_argument too when the model cannot be built or recorded, or the checkpoint does not
// say what its data looks like.
void export_script(const ExportRequest& request,
                   const std::function<void(const std::string&)>& tell);

}  // namespace lockstep
