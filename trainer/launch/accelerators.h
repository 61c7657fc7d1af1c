// How many GPUs a program started here would see.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace lockstep {

// CUDA_VISIBLE_DEVICES where it is set (`visible`), else the NVIDIA device files in `dev`.
int visible_gpus(const std::optional<std::string>& visible,
                 const std::filesystem::path& dev = "/dev");

}  // namespace lockstep
