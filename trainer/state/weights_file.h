// Weights in a file of either format that people exchange: safetensors or torch.save's.
#pragma once

#include <filesystem>
#include <span>
#include <variant>
#include <vector>

#include "trainer/state/python_file.h"
#include "trainer/state/safetensors.h"

namespace lockstep {

// A whole file in memory, checked. Movable; the records' bytes live as long as it does and may be
// unaligned.
class WeightsFile {
 public:
  // By content, whatever the name. Throws BadData as Safetensors and PythonFile do.
  static WeightsFile read(const std::filesystem::path& path);

  const std::vector<TensorRecord>& tensors() const;  // ordered by name

 private:
  explicit WeightsFile(std::variant<Safetensors, PythonFile> file) : file_(std::move(file)) {}

  std::variant<Safetensors, PythonFile> file_;
};

// Writes such a file, by its name: .safetensors, or .pt or .pth for torch.load(). It appears whole,
// in the place of an older one. Throws std::invalid_argument for another name or what the formats
// cannot hold; StorageError.
void write_weights(const std::filesystem::path& path, std::span<const TensorRecord> tensors);

}  // namespace lockstep
