// A set of grey images as tensors: stored as bytes, scaled when a batch is made.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "trainer/data/idx_reader.h"

namespace lockstep {

struct Batch {
  at::Tensor images;  // float32 [batch, 1, rows, columns], normalised
  at::Tensor labels;  // int64 [batch]

  std::int64_t size() const { return labels.size(0); }
};

// Immutable; lives on one device, where batches are gathered without a copy of the set.
class ImageSet {
 public:
  // Takes the bytes over. A pixel x becomes (x / 255 - mean) / std.
  ImageSet(IdxDataset dataset, double mean, double std, at::Device device);

  std::int64_t size() const { return labels_.size(0); }
  std::int64_t rows() const { return images_.size(2); }
  std::int64_t columns() const { return images_.size(3); }

  Batch gather(std::vector<std::int64_t> indices) const;     // in this order
  Batch range(std::int64_t first, std::int64_t last) const;  // [first, last)

 private:
  Batch normalised(const at::Tensor& images, at::Tensor labels) const;

  double scale_;
  double shift_;
  at::Tensor images_;  // uint8 [size, 1, rows, columns]
  at::Tensor labels_;  // int64 [size]
};

}  // namespace lockstep
