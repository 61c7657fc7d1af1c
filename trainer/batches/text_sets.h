// Texts as token numbers: whole texts with a label each, or windows of one long text.
#pragma once

#include <cstdint>
#include <vector>

#include "trainer/batches/dataset.h"
#include "trainer/data/tokens.h"
#include "trainer/data/vocabulary.h"

namespace lockstep {

// inputs int64 [batch, length of its longest text], padded with Vocabulary::kPadding; lengths
// int64 [batch]; targets int64 [batch]: the labels. facts().lengths are what buckets go by.
class LabelledTexts : public Dataset {
 public:
  LabelledTexts(EncodedTexts texts, std::vector<std::int32_t> labels, std::int64_t vocabulary,
                std::int64_t classes, std::uint32_t identity);

  DataShape shape() const override { return shape_; }
  const SampleFacts& facts() const override { return facts_; }
  std::uint32_t identity() const override { return identity_; }
  Batch batch(std::span<const std::int64_t> indices,
              const std::optional<Variation>& variation) const override;
  bool is_quick() const override { return true; }

 private:
  EncodedTexts texts_;
  DataShape shape_;
  SampleFacts facts_;
  std::uint32_t identity_;
};

// inputs int64 [batch, context], targets int64 [batch, context]: for each token the one behind it.
// A sample is a window; windows lie side by side, so that an epoch shows each token once.
class TokenWindows : public Dataset {
 public:
  // Throws std::invalid_argument when there are fewer tokens than `context` + 1.
  TokenWindows(Tokens tokens, std::int64_t first, std::int64_t last, std::int64_t context,
               std::int64_t vocabulary);

  DataShape shape() const override { return shape_; }
  const SampleFacts& facts() const override { return facts_; }
  std::uint32_t identity() const override { return identity_; }
  Batch batch(std::span<const std::int64_t> indices,
              const std::optional<Variation>& variation) const override;
  bool is_quick() const override { return true; }

 private:
  Tokens tokens_;
  std::int64_t first_;
  DataShape shape_;
  SampleFacts facts_;
  std::uint32_t identity_;
};

}  // namespace lockstep
