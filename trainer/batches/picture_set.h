// Pictures that are made one at a time: read, decoded and augmented when a batch is.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

#include "trainer/batches/dataset.h"
#include "trainer/config/config.h"
#include "trainer/data/damaged_samples.h"
#include "trainer/data/image.h"
#include "trainer/data/normalise.h"

namespace lockstep {

// inputs float32 [batch, 3, data.image_size, data.image_size]; targets int64 [batch].
//
// In training a picture that cannot be read is left out of its batch, which then has fewer samples
// or, if it has none left, a blank one that does not count;
// more than data.max_damaged of them end the training, and one ends an evaluation.
class PictureSet : public Dataset {
 public:
  // Threads call `load` at once; it throws BadData for a damaged picture.
  using Load = std::function<Image(std::int64_t index)>;

  PictureSet(Load load, std::vector<std::int32_t> labels, std::int64_t classes,
             std::uint32_t identity, const DataConfig& data);

  DataShape shape() const override { return shape_; }
  const SampleFacts& facts() const override { return facts_; }
  std::uint32_t identity() const override { return identity_; }
  Batch batch(std::span<const std::int64_t> indices,
              const std::optional<Variation>& variation) const override;
  bool is_quick() const override { return false; }

 private:
  bool write(std::int64_t index, const std::optional<Variation>& variation,
             std::span<float> planes) const;
  void skip(const std::string& fault) const;

  Load load_;
  DataConfig data_;
  DataShape shape_;
  SampleFacts facts_;
  std::uint32_t identity_;
  Normaliser normaliser_;
  mutable std::mutex mutex_;
  mutable DamagedSamples damaged_;
};

}  // namespace lockstep
