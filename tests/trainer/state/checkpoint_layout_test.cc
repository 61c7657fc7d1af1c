// Names of checkpoints and the text of their MANIFEST.
#include "trainer/state/checkpoint_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temporary_directory.h"
#include "trainer/errors.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;

TEST(StepName, IsReadBackAndNothingElseIs) {
  EXPECT_EQ(step_name(120), "step-120");
  EXPECT_EQ(step_of("step-120"), 120);
  EXPECT_EQ(step_of("step-0"), 0);
  for (const char* name : {"", "step-", "step--1", "step-012", "step-1x", "step- 1", "step-+1",
                           "Step-1", ".step-1.aside-2", "step-9223372036854775808"}) {
    EXPECT_EQ(step_of(name), std::nullopt) << name;
  }
}

TEST(StepsIn, ListsTheNewestFirst) {
  testing::TemporaryDirectory directory;
  for (const char* name : {"step-9", "step-10", "step-2", ".step-11.aside-1", "logs"}) {
    std::filesystem::create_directory(directory / name);
  }
  EXPECT_THAT(steps_in(directory.path()), ElementsAre(10, 9, 2));
  EXPECT_THAT(steps_in(directory / "absent"), ElementsAre());
  testing::set_content(directory / "file", "");
  EXPECT_THROW(steps_in(directory / "file"), StorageError);
}

TEST(Manifest, IsReadBack) {
  const Manifest manifest{.step = 7,
                          .files = {{"a", {3, 0x0000beef}}, {"b", {1ull << 40, 0xffffffff}}}};
  EXPECT_EQ(parse_manifest(manifest_text(manifest)), manifest);
  EXPECT_THAT(manifest_text(manifest), ::testing::HasSubstr("\"0000beef\""));
}

TEST(Manifest, RefusesWhatNoCheckpointHas) {
  for (const char* text : {"", "{", "[]", "{}", R"({"step":1})", R"({"step":"1","files":{}})",
                           R"({"step":1,"files":{"a":{"size":1}}})",
                           R"({"step":1,"files":{"a":{"size":1,"crc32":5}}})",
                           R"({"step":1,"files":{"a":{"size":1,"crc32":"xyz"}}})"}) {
    EXPECT_THROW(parse_manifest(text), BadData) << text;
  }
}

}  // namespace
}  // namespace lockstep
