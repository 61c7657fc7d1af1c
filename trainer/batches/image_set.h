// A set of images in memory: stored as bytes on the training device, scaled when a batch is made.
#pragma once

#include <cstdint>
#include <vector>

#include "trainer/batches/dataset.h"

namespace lockstep {

// Images as a reader gives them.
struct Images {
  std::int64_t channels = 1;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<std::uint8_t> pixels;  // [size, channels, rows, columns]
  std::vector<std::int32_t> labels;  // [size]
  std::uint32_t identity = 0;
};

// A pixel x of a channel becomes (x / 255 - mean) / std.
struct PixelScale {
  std::vector<double> mean;  // of each channel, or one for all
  std::vector<double> std;
};

class ImageSet : public Dataset {
 public:
  // `classes` is what a label is below; throws std::invalid_argument when a scale names
  // neither one channel nor all of them.
  ImageSet(Images images, std::int64_t classes, const PixelScale& normalisation, at::Device device);

  DataShape shape() const override { return shape_; }
  const SampleFacts& facts() const override { return facts_; }
  std::uint32_t identity() const override { return identity_; }
  Batch batch(std::span<const std::int64_t> indices,
              const std::optional<Variation>& variation) const override;
  bool is_quick() const override { return true; }

 private:
  DataShape shape_;
  SampleFacts facts_;
  std::uint32_t identity_;
  at::Tensor scale_;   // float32 [channels, 1, 1]
  at::Tensor shift_;   // float32 [channels, 1, 1]
  at::Tensor pixels_;  // uint8 [size, channels, rows, columns]
  at::Tensor labels_;  // int64 [size]
};

}  // namespace lockstep
