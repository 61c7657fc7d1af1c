// What a model is shown in one step, and what kind of data it comes from.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace lockstep {

struct Batch {
  at::Tensor inputs;   // float32 [batch, channels, rows, columns], or int64 tokens [batch, length]
  at::Tensor targets;  // int64 [batch] classes, or the next tokens [batch, length]
  at::Tensor lengths;  // int64 [batch] on the CPU: tokens before the padding; undefined without any
  std::int64_t ignored = 0;  // of the samples, the last ones: they do not count in the loss

  std::int64_t size() const { return inputs.size(0); }
};

// `batch` on `device`; work that is under way there is not waited for.
Batch moved_to(at::Device device, const Batch& batch);

enum class SampleKind {
  kPictures,  // or rows of a table
  kTexts,     // padded, with a label each
  kWindows    // of one long text, whose next tokens are the targets
};

// What all samples of a data set have in common: it fixes the first and last layer of a model.
struct DataShape {
  SampleKind kind = SampleKind::kPictures;
  std::int64_t channels = 1;  // of images; a row of a table is an image of one channel and one row
  std::int64_t rows = 28;
  std::int64_t columns = 28;    // of windows: tokens
  std::int64_t vocabulary = 0;  // number of tokens; 0: samples are no text
  std::int64_t classes = 10;    // a target is below this; the vocabulary where tokens are predicted
};

}  // namespace lockstep
