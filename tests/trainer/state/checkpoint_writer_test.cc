// What the writer publishes, keeps, deletes and refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tests/support/temporary_directory.h"
#include "tests/trainer/state/small_checkpoint.h"
#include "trainer/errors.h"
#include "trainer/state/checkpoint_directory.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using testing::content_of;
using ::testing::HasSubstr;
using testing::newest_step;
using testing::publish;
using testing::TemporaryDirectory;
using ::testing::ThrowsMessage;
using ::testing::UnorderedElementsAre;

std::vector<std::string> names_in(const fs::path& directory) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(directory))
    names.push_back(entry.path().filename());
  return names;
}

TEST(CheckpointWriter, PublishesAndKeepsTheNewest) {
  TemporaryDirectory directory;
  CheckpointWriter writer(directory / "a/b", {"job", 1}, 2);
  for (const int step : {8, 9, 10, 11}) publish(writer, step);
  EXPECT_THAT(names_in(directory / "a/b"),
              UnorderedElementsAre("OWNER", "LATEST", "step-10", "step-11"));
  EXPECT_EQ(content_of(directory / "a/b/LATEST"), "step-11\n");
  EXPECT_THAT(
      names_in(directory / "a/b/step-11"),
      UnorderedElementsAre("model.safetensors", "optimizer.safetensors", "state.json", "MANIFEST"));
}

TEST(CheckpointWriter, WritesTheSameBytesInAnyAttemptAndPlace) {
  TemporaryDirectory one, other;
  CheckpointWriter first(one.path(), {"job", 1}, 2);
  CheckpointWriter second(other.path(), {"another", 7}, 5);
  publish(first, 3);
  publish(second, 3);
  for (const char* name :
       {"model.safetensors", "optimizer.safetensors", "state.json", "MANIFEST"}) {
    EXPECT_EQ(content_of(one / "step-3" / name), content_of(other / "step-3" / name));
  }
}

TEST(CheckpointWriter, LeavesAStepOfItsOwnAsItIs) {
  TemporaryDirectory directory;
  CheckpointWriter writer(directory.path(), {"job", 1}, 2);
  publish(writer, 5);
  testing::set_content(directory / "step-5/mark", "");
  publish(writer, 5);
  EXPECT_TRUE(fs::exists(directory / "step-5/mark"));
  CheckpointWriter resumed(directory.path(), {"job", 2}, 2);
  resumed.continue_from(5);
  publish(resumed, 5);
  EXPECT_TRUE(fs::exists(directory / "step-5/mark"));
  EXPECT_THROW(publish(writer, 4), std::invalid_argument);
  EXPECT_THROW(publish(writer, -2), std::invalid_argument);
}

TEST(CheckpointWriter, DropsTheLineItDoesNotContinue) {
  TemporaryDirectory directory;
  CheckpointWriter before(directory.path(), {"job", 1}, 5);
  for (const int step : {10, 20, 30}) publish(before, step);
  fs::remove(directory / "step-30/MANIFEST");
  CheckpointWriter after(directory.path(), {"job", 2}, 5);
  after.continue_from(10);
  publish(after, 20);
  EXPECT_THAT(names_in(directory.path()),
              UnorderedElementsAre("OWNER", "LATEST", "step-10", "step-20"));
  EXPECT_EQ(newest_step(directory.path()), 20);
}

TEST(CheckpointWriter, DeletesWhatDeadWritersLeft) {
  TemporaryDirectory directory;
  fs::create_directories(directory / ".step-7.aside-1/deep");
  fs::create_directories(directory / ".step-3.removed-1");
  fs::create_directories(directory / "logs");
  CheckpointWriter writer(directory.path(), {"job", 2}, 1);
  EXPECT_THAT(names_in(directory.path()), UnorderedElementsAre("OWNER", "logs"));
}

TEST(CheckpointWriter, StopsWhenALaterAttemptOwnsTheDirectory) {
  TemporaryDirectory directory;
  CheckpointWriter old(directory.path(), {"job", 3}, 2);
  publish(old, 10);
  CheckpointWriter current(directory.path(), {"job", 4}, 2);
  current.continue_from(10);
  EXPECT_THAT([&] { publish(old, 20); },
              ThrowsMessage<StorageError>(
                  HasSubstr("attempt 4 of this job owns it now, this is attempt 3")));
  EXPECT_THAT(names_in(directory.path()), UnorderedElementsAre("OWNER", "LATEST", "step-10"));
  EXPECT_THROW(CheckpointWriter(directory.path(), {"job", 3}, 2), StorageError);
  publish(current, 20);
  EXPECT_EQ(newest_step(directory.path()), 20);
}

TEST(CheckpointWriter, GivesWayToAnotherJobWhateverItsAttempt) {
  TemporaryDirectory directory;
  CheckpointWriter old(directory.path(), {"job", 3}, 2);
  CheckpointWriter current(directory.path(), {"newer", 1}, 2);
  publish(current, 5);
  EXPECT_THAT([&] { publish(old, 20); },
              ThrowsMessage<StorageError>(HasSubstr("attempt 1 of job 'newer'")));
}

TEST(CheckpointWriter, StopsWhenOwnershipCannotBeSeen) {
  for (const char* owner : {"", "{}", R"({"job":5,"attempt":1})"}) {
    TemporaryDirectory directory;
    CheckpointWriter writer(directory.path(), {"job", 3}, 2);
    testing::set_content(directory / "OWNER", owner);
    EXPECT_THAT([&] { publish(writer, 5); },
                ThrowsMessage<StorageError>(HasSubstr("OWNER is unreadable")));
    EXPECT_EQ(newest_step(directory.path()), -1);
    CheckpointWriter next(directory.path(), {"job", 1}, 2);  // an unreadable claim binds nobody
  }
}

TEST(CheckpointWriter, RefusesPlacesAndCountsThatCannotWork) {
  TemporaryDirectory directory;
  testing::set_content(directory / "file", "");
  EXPECT_THROW(CheckpointWriter(directory.path(), {"job", 1}, 0), std::invalid_argument);
  EXPECT_THAT(
      [&] {
        CheckpointWriter(directory / "file/checkpoints", {"job", 1}, 1);
      },
      ThrowsMessage<StorageError>(HasSubstr("cannot make ")));
}

TEST(CheckpointWriter, LeavesNothingBehindWhenTheContentsAreWrong) {
  TemporaryDirectory directory;
  CheckpointWriter writer(directory.path(), {"job", 1}, 2);
  const TensorRecord wrong{.name = "w", .dtype = Dtype::kF32, .shape = {2}, .bytes = {}};
  EXPECT_THROW(writer.publish(1, {.model = std::span(&wrong, 1), .optimizer = {}, .state = {}}),
               std::invalid_argument);
  EXPECT_THAT(names_in(directory.path()), UnorderedElementsAre("OWNER"));
}

}  // namespace
}  // namespace lockstep
