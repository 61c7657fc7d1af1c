// `lockstep-train export`: the weights of a checkpoint as one file for other programs.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "trainer/state/checkpoint_directory.h"

namespace lockstep {

struct ExportRequest {
  std::filesystem::path from{};  // a checkpoint directory, as checkpoint.directory
  std::string step{};          // "120", or "best" for what BEST names; empty: the newest whole one
  std::filesystem::path to{};  // .safetensors, or .pt or .pth for torch.load()
  std::vector<std::string> overrides{};  // section.key=value; only a model as a whole has settings
};

// The checkpoint that is asked for. Throws as export_weights() does.
Checkpoint checkpoint_of(const ExportRequest& request,
                         const std::function<void(const std::string&)>& tell);

// Parameters and buffers as an evaluation has them; their bytes are the checkpoint's.
std::vector<TensorRecord> exported_weights(const Checkpoint& checkpoint);

// Parameters and buffers under their dotted names: those that an evaluation has, so with
// optim.ema_decay the averages of parameters. `tell` gets one line, and
// a warning for each damaged checkpoint that was passed over. Throws std::invalid_argument for a
// step that is no number, a name that tells no format, or no checkpoint; BadData when the one asked
// for is damaged; StorageError.
void export_weights(const ExportRequest& request,
                    const std::function<void(const std::string&)>& tell);

}  // namespace lockstep
