// Order, look-ahead, faults and ends of the prefetch, with and without threads.
#include "trainer/data/ordered_prefetch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <string>

namespace lockstep {
namespace {

using Owned = std::unique_ptr<std::int64_t>;  // movable only, like a batch

Owned square(std::int64_t position) { return std::make_unique<std::int64_t>(position * position); }

// Finishes in another order than it was begun.
Owned uneven_square(std::int64_t position) {
  for (int i = 0; i < (position * 7919) % 5 * 200; ++i) std::this_thread::yield();
  return square(position);
}

struct Depth {
  int threads;
  std::int64_t ahead;
};

class OrderedPrefetchTest : public ::testing::TestWithParam<Depth> {
 protected:
  template <typename Make>
  OrderedPrefetch<Owned> prefetch(Make make, PositionRange range = {}) {
    return {make, GetParam().threads, GetParam().ahead, range};
  }
};

TEST_P(OrderedPrefetchTest, YieldsEveryPositionInOrderWhateverFinishesFirst) {
  auto squares = prefetch(uneven_square, {5, 300});
  for (std::int64_t position = 5; position < 300; ++position) {
    ASSERT_FALSE(squares.done());
    EXPECT_EQ(squares.position(), position);
    ASSERT_EQ(*squares.next(), position * position);
  }
  EXPECT_TRUE(squares.done());
  EXPECT_THROW(squares.next(), std::out_of_range);
}

TEST_P(OrderedPrefetchTest, BringsAFaultOutAtItsPositionAndGoesOnBehindIt) {
  auto squares = prefetch([](std::int64_t position) {
    if (position % 3 == 1) throw std::runtime_error(std::to_string(position));
    return uneven_square(position);
  });
  for (std::int64_t position = 0; position < 60; ++position) {
    if (position % 3 == 1) {
      EXPECT_THAT([&] { squares.next(); },
                  ::testing::ThrowsMessage<std::runtime_error>(std::to_string(position)));
    } else {
      ASSERT_EQ(*squares.next(), position * position);
    }
  }
}

TEST_P(OrderedPrefetchTest, CanBeAimedAnewAtAnyMoment) {
  auto squares = prefetch(uneven_square);
  for (std::int64_t first = 1000; first > 0; first -= 37) {
    squares.aim({first, first + 4});
    for (std::int64_t position = first; position < first + first % 5; ++position) {
      if (squares.done()) break;
      ASSERT_EQ(*squares.next(), position * position);
    }
  }
}

TEST_P(OrderedPrefetchTest, YieldsNothingOfAnEmptyRangeUntilItIsAimed) {
  auto squares = prefetch(square, {7, 7});
  EXPECT_TRUE(squares.done());
  squares.aim({7, 8});
  EXPECT_EQ(*squares.next(), 49);
  EXPECT_TRUE(squares.done());
}

TEST_P(OrderedPrefetchTest, NeverMakesMoreThanItMayLookAhead) {
  std::atomic<std::int64_t> begun = 0;
  std::atomic<std::int64_t> most = 0;
  std::atomic<std::int64_t> taken = 0;
  auto squares = prefetch([&](std::int64_t position) {
    const std::int64_t outstanding = ++begun - taken;
    for (std::int64_t seen = most; seen < outstanding;)
      most.compare_exchange_weak(seen, outstanding);
    return square(position);
  });
  for (int i = 0; i < 200; ++i) {
    squares.next();
    ++taken;
  }
  EXPECT_GE(most, 1);
  // A thread may begin the next value between next() and our ++taken.
  EXPECT_LE(most, GetParam().threads == 0 ? 1 : GetParam().ahead + 1);
}

TEST_P(OrderedPrefetchTest, EndsWhileValuesAreBeingMade) {
  std::atomic<int> alive = 0;
  {
    auto squares = prefetch([&](std::int64_t position) {
      ++alive;
      Owned value = uneven_square(position);
      --alive;
      return value;
    });
    squares.next();
  }
  EXPECT_EQ(alive, 0);
}

INSTANTIATE_TEST_SUITE_P(Depths, OrderedPrefetchTest,
                         ::testing::Values(Depth{0, 0}, Depth{1, 1}, Depth{1, 4}, Depth{2, 3},
                                           Depth{4, 16}, Depth{4, 2}),
                         [](const auto& info) {
                           return std::to_string(info.param.threads) + "Threads" +
                                  std::to_string(info.param.ahead) + "Ahead";
                         });

TEST(OrderedPrefetch, MakesAheadWithoutBeingAsked) {
  std::promise<void> made_third;
  OrderedPrefetch<int> numbers(
      [&](std::int64_t position) {
        if (position == 2) made_third.set_value();
        return 0;
      },
      1, 3);
  EXPECT_EQ(made_third.get_future().wait_for(std::chrono::seconds(20)), std::future_status::ready);
}

TEST(OrderedPrefetch, RefusesDepthsThatCannotWork) {
  const auto number = [](std::int64_t) { return 0; };
  EXPECT_THROW(OrderedPrefetch<int>(number, -1, 1), std::invalid_argument);
  EXPECT_THROW(OrderedPrefetch<int>(number, 1, 0), std::invalid_argument);
}

}  // namespace
}  // namespace lockstep
