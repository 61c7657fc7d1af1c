// The reader takes the newest whole checkpoint and says what was wrong with newer ones.
#include "trainer/state/checkpoint_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tests/support/temporary_directory.h"
#include "tests/trainer/state/small_checkpoint.h"
#include "trainer/errors.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using testing::content_of;
using ::testing::HasSubstr;
using testing::publish;
using testing::set_content;
using ::testing::StartsWith;
using testing::TemporaryDirectory;
using ::testing::ThrowsMessage;

void flip_bit(const fs::path& path, std::size_t at) {
  std::string content = content_of(path);
  content.at(at) ^= 1;
  set_content(path, content);
}

TEST(FindNewestCheckpoint, FindsNothingInAnAbsentOrEmptyDirectory) {
  TemporaryDirectory directory;
  EXPECT_FALSE(find_newest_checkpoint(directory / "absent").newest);
  const FoundCheckpoints found = find_newest_checkpoint(directory.path());
  EXPECT_FALSE(found.newest);
  EXPECT_TRUE(found.damaged.empty());
}

TEST(FindNewestCheckpoint, ReadsWhatWasPublished) {
  TemporaryDirectory directory;
  CheckpointWriter writer(directory.path(), {"job", 1}, 3);
  publish(writer, 9);
  publish(writer, 10);
  const FoundCheckpoints found = find_newest_checkpoint(directory.path());
  ASSERT_TRUE(found.newest);
  EXPECT_EQ(found.newest->step, 10);
  EXPECT_TRUE(testing::holds_its_step(*found.newest));
  EXPECT_TRUE(found.damaged.empty());
}

// Storage that refuses for a while must not cost a checkpoint: what is taken for damaged is deleted
// by later saves. A link to itself cannot be opened by anyone.
TEST(FindNewestCheckpoint, DoesNotTakeAnUnreadableCheckpointForADamagedOne) {
  TemporaryDirectory directory;
  CheckpointWriter writer(directory.path(), {"job", 1}, 3);
  publish(writer, 10);
  publish(writer, 20);
  for (const char* name : {"MANIFEST", "state.json", "model.safetensors"}) {
    const fs::path file = directory / "step-20" / name;
    fs::rename(file, directory / "aside");
    fs::create_symlink(name, file);
    EXPECT_THAT([&] { find_newest_checkpoint(directory.path()); },
                ThrowsMessage<StorageError>(HasSubstr("cannot read ")))
        << name;
    fs::remove(file);
    fs::rename(directory / "aside", file);
  }
  EXPECT_EQ(find_newest_checkpoint(directory.path()).newest->step, 20);
}

TEST(FindNewestCheckpoint, FallsBackAndSaysWhy) {
  const struct {
    std::function<void(const fs::path&)> damage;
    const char* reason;
  } cases[] = {
      {[](const fs::path& d) { fs::resize_file(d / "model.safetensors", 60); },
       "model.safetensors has 60 bytes, MANIFEST says "},
      {[](const fs::path& d) { flip_bit(d / "model.safetensors", 90); },
       "model.safetensors has CRC-32 "},
      {[](const fs::path& d) { flip_bit(d / "optimizer.safetensors", 0); },
       "optimizer.safetensors has CRC-32 "},
      {[](const fs::path& d) { flip_bit(d / "state.json", 4); }, "state.json has CRC-32 "},
      {[](const fs::path& d) { fs::remove(d / "optimizer.safetensors"); }, "cannot read "},
      {[](const fs::path& d) { fs::remove(d / "MANIFEST"); }, "cannot read "},
      {[](const fs::path& d) { fs::resize_file(d / "MANIFEST", 40); }, "MANIFEST is not the JSON"},
      {[](const fs::path& d) { set_content(d / "MANIFEST", R"({"step":20,"files":{}})"); },
       "MANIFEST does not name state.json"},
      {[](const fs::path& d) {
         fs::copy_file(d / "../step-10/MANIFEST", d / "MANIFEST",
                       fs::copy_options::overwrite_existing);
       },
       "MANIFEST is that of step 10"},
      {[](const fs::path& d) {
         fs::remove_all(d);
         set_content(d, "");
       },
       "cannot read "},
  };
  for (const auto& [damage, reason] : cases) {
    TemporaryDirectory directory;
    CheckpointWriter writer(directory.path(), {"job", 1}, 3);
    publish(writer, 10);
    publish(writer, 20);
    damage(directory / "step-20");
    const FoundCheckpoints found = find_newest_checkpoint(directory.path());
    ASSERT_TRUE(found.newest) << reason;
    EXPECT_EQ(found.newest->step, 10);
    ASSERT_EQ(found.damaged.size(), 1u) << reason;
    EXPECT_EQ(found.damaged[0].directory, directory / "step-20");
    EXPECT_THAT(found.damaged[0].reason, StartsWith(reason));
  }
}

TEST(FindNewestCheckpoint, ListsAllWhenAllAreDamaged) {
  TemporaryDirectory directory;
  fs::create_directory(directory / "step-3");
  fs::create_directory(directory / "step-5");
  const FoundCheckpoints found = find_newest_checkpoint(directory.path());
  EXPECT_FALSE(found.newest);
  ASSERT_EQ(found.damaged.size(), 2u);
  EXPECT_EQ(found.damaged[0].directory, directory / "step-5");
}

// Every single bit of a checkpoint is guarded.
TEST(FindNewestCheckpoint, NoticesAnyChangedByte) {
  TemporaryDirectory directory;
  CheckpointWriter writer(directory.path(), {"job", 1}, 3);
  publish(writer, 10);
  for (const char* name : {"model.safetensors", "optimizer.safetensors", "state.json"}) {
    const std::string sound = content_of(directory / "step-10" / name);
    for (std::size_t at = 0; at < sound.size(); ++at) {
      flip_bit(directory / "step-10" / name, at);
      EXPECT_EQ(testing::newest_step(directory.path()), -1) << name << " byte " << at;
      set_content(directory / "step-10" / name, sound);
    }
  }
  EXPECT_EQ(testing::newest_step(directory.path()), 10);
}

TEST(FindNewestCheckpoint, SaysWhenTheDirectoryCannotBeListed) {
  TemporaryDirectory directory;
  set_content(directory / "file", "");
  EXPECT_THROW(find_newest_checkpoint(directory / "file"), StorageError);
}

}  // namespace
}  // namespace lockstep
