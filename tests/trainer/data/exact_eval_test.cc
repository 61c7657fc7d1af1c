// Evaluation counts each sample once and sums in one order, at any world size.
#include "trainer/data/exact_eval.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <stdexcept>

namespace lockstep {
namespace {

TEST(ExactEval, DealsTheSameBatchesAtAnyWorldSize) {
  for (const std::int64_t size : {1, 9, 10, 11, 100, 101}) {
    const ExactEval alone(size, 10, 1, 0);
    ASSERT_EQ(alone.size(), alone.batch_count());
    for (int world = 1; world <= 13; ++world) {
      std::vector<int> seen(size);
      std::int64_t dealt = 0;
      for (int rank = 0; rank < world; ++rank) {
        const ExactEval eval(size, 10, world, rank);
        dealt += eval.size();
        for (std::int64_t k = 0; k < eval.size(); ++k) {
          EXPECT_EQ(eval[k], alone[eval[k].index]);
          for (std::int64_t i = eval[k].first; i < eval[k].last; ++i) ++seen.at(i);
        }
      }
      EXPECT_EQ(dealt, alone.batch_count());
      EXPECT_EQ(seen, std::vector<int>(size, 1));
    }
  }
}

TEST(ExactEval, RefusesImpossibleWorlds) {
  EXPECT_THROW(ExactEval(0, 10, 1, 0), std::invalid_argument);
  EXPECT_THROW(ExactEval(10, 0, 1, 0), std::invalid_argument);
  EXPECT_THROW(ExactEval(10, 10, 0, 0), std::invalid_argument);
  EXPECT_THROW(ExactEval(10, 10, 2, 2), std::invalid_argument);
  EXPECT_THROW(ExactEval(10, 10, 2, -1), std::invalid_argument);
}

// A loss of very uneven size, so that another order of addition gives other bits.
double loss_of(const EvalBatch& batch) { return std::exp(std::sin(batch.first * 12.9898) * 30); }

double total_loss(int world) {
  BatchSums reduced(ExactEval(1000, 7, 1, 0).batch_count(), 2);
  for (int rank = world - 1; rank >= 0; --rank) {  // an all-reduce may add in any order
    const ExactEval eval(1000, 7, world, rank);
    BatchSums own(eval.batch_count(), 2);
    for (std::int64_t k = 0; k < eval.size(); ++k) own.record(eval[k].index, 1, loss_of(eval[k]));
    for (std::size_t i = 0; i < own.cells().size(); ++i) reduced.cells()[i] += own.cells()[i];
  }
  EXPECT_EQ(reduced.totals()[0], 0.0);
  return reduced.totals()[1];
}

TEST(BatchSums, GiveTheSameBitsAtAnyWorldSize) {
  const double alone = total_loss(1);
  EXPECT_GT(alone, 1e12);
  for (int world = 2; world <= 9; ++world) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(total_loss(world)), std::bit_cast<std::uint64_t>(alone));
  }
}

TEST(BatchSums, DependOnTheOrderTheyPreserve) {
  const ExactEval eval(1000, 7, 1, 0);
  double backwards = 0;
  for (std::int64_t k = eval.size() - 1; k >= 0; --k) backwards += loss_of(eval[k]);
  EXPECT_NE(backwards, total_loss(1));
}

TEST(BatchSums, RefuseCellsOutsideTheTable) {
  BatchSums sums(3, 2);
  EXPECT_THROW(sums.record(3, 0, 1), std::out_of_range);
  EXPECT_THROW(sums.record(-1, 0, 1), std::out_of_range);
  EXPECT_THROW(sums.record(0, 2, 1), std::out_of_range);
  EXPECT_THROW(BatchSums(-1, 2), std::invalid_argument);
}

}  // namespace
}  // namespace lockstep
