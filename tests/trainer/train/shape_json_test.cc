// What a checkpoint notes of the data.
#include "trainer/shape_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace lockstep {
namespace {

using ::testing::HasSubstr;

std::string refusal(const nlohmann::json& json) {
  try {
    shape_in(json);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(ShapeJson, IsReadBackAsItWas) {
  for (const auto kind : {SampleKind::kPictures, SampleKind::kTexts, SampleKind::kWindows}) {
    const DataShape shape{kind, 3, 20, 24, 31, 5};
    const DataShape read = shape_in(nlohmann::json::parse(json_of(shape).dump()));
    EXPECT_EQ(read.kind, kind);
    EXPECT_EQ(json_of(read), json_of(shape));
  }
  EXPECT_EQ(json_of({.kind = SampleKind::kWindows})["kind"], "windows");
}

TEST(ShapeJson, IsRefusedWhenAnythingIsMissingOrUnknown) {
  const nlohmann::json whole = json_of({});
  for (const auto& item : whole.items()) {
    nlohmann::json part = whole;
    part.erase(item.key());
    EXPECT_THAT(refusal(part), HasSubstr("the shape of the data is incomplete")) << item.key();
  }
  nlohmann::json other = whole;
  other["kind"] = "sounds";
  EXPECT_EQ(refusal(other), "no kind of data is called sounds");
  EXPECT_THAT(refusal(3), HasSubstr("incomplete"));
}

}  // namespace
}  // namespace lockstep
