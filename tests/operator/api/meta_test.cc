// Times as Kubernetes writes them, and object metadata.
#include "operator/api/meta.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

using nlohmann::json;

TEST(Time, IsWrittenAsItWasRead) {
  for (const char* text :
       {"1970-01-01T00:00:00Z", "2024-02-29T23:59:59Z", "2026-11-30T09:48:01Z"}) {
    ASSERT_TRUE(parse_time(text)) << text;
    EXPECT_EQ(format_time(*parse_time(text)), text);
  }
}

TEST(Time, AgreesWithTheUnixClock) {
  // date -u -d 2026-01-02T03:04:05Z +%s
  EXPECT_EQ(parse_time("2026-01-02T03:04:05Z")->time_since_epoch(),
            std::chrono::seconds(1767323045));
}

TEST(Time, KeepsMillisecondsWhenReadAndDropsThemWhenWritten) {
  const auto time = parse_time("2026-01-02T03:04:05.987654Z");
  ASSERT_TRUE(time);
  EXPECT_EQ(time->time_since_epoch().count() % 1000, 987);
  EXPECT_EQ(format_time(*time), "2026-01-02T03:04:05Z");
}

TEST(Time, RefusesWhatIsNoTime) {
  for (const char* text :
       {"", "yesterday", "2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z", "2026-01-01T24:00:00Z",
        "2026-01-01T00:00:00", "2026-01-01T00:00:00Zx"}) {
    EXPECT_FALSE(parse_time(text)) << text;
  }
}

TEST(Meta, NamesTheControllerAmongTheOwners) {
  const json object = {
      {"metadata",
       {{"name", "a"},
        {"uid", "u"},
        {"ownerReferences",
         json::array({{{"uid", "friend"}}, {{"uid", "boss"}, {"controller", true}}})}}}};
  EXPECT_EQ(parse_meta(object)->controller_uid, "boss");
}

TEST(Meta, IsRefusedWithoutNameOrUid) {
  EXPECT_FALSE(parse_meta(json::object()));
  EXPECT_FALSE(parse_meta({{"metadata", {{"name", "a"}}}}));
  EXPECT_EQ(parse_meta(json("text")).error().kind, Kind::kInvalid);
}

}  // namespace
}  // namespace lockstep
