// Files and their sums, on storage that writes little at a time, fails or is not what was expected.
#include "trainer/state/durable_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "tests/support/temporary_directory.h"
#include "tests/trainer/state/storage_faults.h"
#include "trainer/errors.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;
using testing::StorageFaults;
using testing::TemporaryDirectory;
using ::testing::ThrowsMessage;

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

TEST(DurableFile, CountsAndSumsWhatWasWritten) {
  TemporaryDirectory directory;
  DurableFile file(directory / "f");
  file.write(bytes_of("1234"));
  file.write(bytes_of("56789"));
  file.finish();
  EXPECT_EQ(file.size(), 9u);
  EXPECT_EQ(file.crc32(), 0xcbf43926u);  // the check value that defines this CRC
  EXPECT_EQ(crc32_of(bytes_of("123456789")), 0xcbf43926u);
  EXPECT_EQ(read_file(directory / "f").text(), "123456789");
}

TEST(DurableFile, SurvivesShortAndInterruptedWrites) {
  TemporaryDirectory directory;
  DurableFile file(directory / "f");
  const std::string text(100, 'x');
  StorageFaults::shorten_writes();
  file.write(bytes_of(text));
  EXPECT_EQ(StorageFaults::stop(), 30);  // 15 pieces of at most 7 bytes, each interrupted once
  file.finish();
  EXPECT_EQ(testing::content_of(directory / "f"), text);
}

TEST(DurableFile, SaysWhatTheDiskSaid) {
  TemporaryDirectory directory;
  DurableFile file(directory / "f");
  StorageFaults::fail_at_change(1, ENOSPC);
  EXPECT_THAT([&] { file.write(bytes_of("x")); },
              ThrowsMessage<StorageError>(HasSubstr("/f: No space left on device")));
  StorageFaults::fail_at_change(1, EIO);
  EXPECT_THAT([&] { file.finish(); }, ThrowsMessage<StorageError>(HasSubstr("cannot sync")));
  StorageFaults::stop();
  EXPECT_THAT([&] { DurableFile again(directory / "f"); },
              ThrowsMessage<StorageError>(HasSubstr("/f: File exists")));
}

TEST(ReadFile, RefusesWhatIsNoFile) {
  TemporaryDirectory directory;
  EXPECT_THAT([&] { read_file(directory / "none"); },
              ThrowsMessage<StorageError>(HasSubstr("/none: No such file")));
  EXPECT_THAT([&] { read_file(directory.path()); },
              ThrowsMessage<StorageError>(HasSubstr("not a regular file")));
}

TEST(ReplaceText, ReplacesAndToleratesItsOwnLeftovers) {
  TemporaryDirectory directory;
  testing::set_content(directory / ".LATEST.aside", "half");
  replace_text(directory / "LATEST", "one");
  replace_text(directory / "LATEST", "two");
  EXPECT_EQ(testing::content_of(directory / "LATEST"), "two");
  EXPECT_FALSE(std::filesystem::exists(directory / ".LATEST.aside"));
}

}  // namespace
}  // namespace lockstep
