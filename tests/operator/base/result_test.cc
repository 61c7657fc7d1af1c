// TRY passes values on and errors up.
#include "operator/base/result.h"

#include <gtest/gtest.h>

#include <memory>

namespace lockstep {
namespace {

Result<int> half(int number) {
  if (number % 2 != 0) return failure(Kind::kInvalid, "odd");
  return number / 2;
}

Result<int> quarter(int number) { return TRY(half(TRY(half(number)))); }

Result<std::unique_ptr<int>> boxed(int number) { return std::make_unique<int>(TRY(half(number))); }

TEST(Try, YieldsTheValueOrReturnsTheError) {
  EXPECT_EQ(quarter(12).value(), 3);
  ASSERT_FALSE(quarter(6));
  EXPECT_EQ(quarter(6).error().message, "odd");
  EXPECT_EQ(**boxed(4), 2);
}

TEST(Kind, HasAName) {
  EXPECT_EQ(kind_name(Kind::kNotFound), "NotFound");
  EXPECT_EQ(kind_name(Kind::kCancelled), "Cancelled");
}

}  // namespace
}  // namespace lockstep
