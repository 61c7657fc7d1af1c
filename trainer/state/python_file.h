// Files that Python's torch.save and torch.load exchange: a zip archive of a pickle, data.pkl, and
// of the tensors' bytes, data/0, data/1, ... Understood from torch/serialization.py of PyTorch 2.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "trainer/state/safetensors.h"

namespace lockstep {

// Hands `sink` a file that torch.load(weights_only=True) reads as a dict of tensors, in this order.
// Equal tensors give equal bytes. Throws std::invalid_argument, before the first piece, for a
// duplicate or empty name or bytes that do not fit dtype and shape.
void write_python_file(std::span<const TensorRecord> tensors, const ByteSink& sink);

// The tensors of a whole file in memory, checked. Movable; the records' bytes live as long as it
// does and may be unaligned.
class PythonFile {
 public:
  // Reads what torch.save(model.state_dict()) wrote, or a dict that holds such a dict under
  // "state_dict", "model_state_dict" or "model". Nothing in the file is ever executed. Tensors that
  // are not contiguous are made so. Throws BadData "<origin>: <what is wrong>" for anything else:
  // other classes than tensors and plain values, sparse or quantized tensors, compressed archives,
  // big-endian ones, a storage whose size or CRC-32 is wrong, a tensor that leaves its storage.
  // Memory used beside the file is at most four times its size, plus 1 GiB for the pickle.
  static PythonFile parse(std::unique_ptr<std::byte[]> content, std::size_t size,
                          const std::string& origin);

  // The same of a file; also throws BadData when it cannot be read.
  static PythonFile read(const std::filesystem::path& path);

  const std::vector<TensorRecord>& tensors() const { return tensors_; }  // ordered by name

 private:
  std::unique_ptr<std::byte[]> content_;
  std::vector<std::unique_ptr<std::byte[]>> copies_;  // of tensors that were not contiguous
  std::vector<TensorRecord> tensors_;
};

// Whether the first bytes are those of torch.save, of whatever age.
bool is_python_file(std::span<const std::byte> content);

}  // namespace lockstep
