// CIFAR's binary files: records to pictures, and what is refused.
#include "trainer/data/cifar_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temporary_directory.h"
#include "tests/trainer/data/faults.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using testing::fault_of;
using testing::TemporaryDirectory;

// Red counts up from `start`, green is 100, blue 200.
std::string record(const std::string& labels, int start) {
  std::string planes;
  for (int pixel = 0; pixel < 1024; ++pixel) planes += static_cast<char>(start + pixel);
  return labels + planes + std::string(1024, '\x64') + std::string(1024, '\xc8');
}

std::string fault_of_file(CifarKind kind, const std::string& content) {
  TemporaryDirectory directory;
  const std::filesystem::path file = directory / "file.bin";
  testing::set_content(file, content);
  const std::string fault = fault_of([&] { read_cifar(kind, {&file, 1}); });
  const std::size_t name = fault.find("file.bin");
  return name == std::string::npos ? fault : fault.substr(name);
}

TEST(CifarReader, ReadsRecordsOfAllFilesInOrder) {
  TemporaryDirectory directory;
  for (int i = 1; i <= 5; ++i) {
    testing::set_content(directory / ("data_batch_" + std::to_string(i) + ".bin"),
                         record(std::string(1, static_cast<char>(i)), i) + record("\x09", 7));
  }
  testing::set_content(directory / "test_batch.bin", record("\x03", 0));
  const auto read = [&](bool training) {
    return read_cifar(CifarKind::kCifar10,
                      cifar_files(CifarKind::kCifar10, directory.path(), training));
  };
  const CifarDataset set = read(true);
  EXPECT_THAT(set.labels, ElementsAre(1, 9, 2, 9, 3, 9, 4, 9, 5, 9));
  const Image image = set.image(4);
  EXPECT_EQ(image.rows, 32);
  EXPECT_EQ(image.columns, 32);
  EXPECT_THAT(std::vector(image.row(2), image.row(2) + 6), ElementsAre(67, 100, 200, 68, 100, 200));
  EXPECT_THAT(read(false).labels, ElementsAre(3));
  EXPECT_NE(set.identity(), read(false).identity());
}

TEST(CifarReader, TakesTheFineLabelOfCifar100) {
  TemporaryDirectory directory;
  testing::set_content(directory / "train.bin", record("\x13\x63", 0) + record("\x02\x01", 0));
  const auto files = cifar_files(CifarKind::kCifar100, directory.path(), true);
  EXPECT_THAT(read_cifar(CifarKind::kCifar100, files).labels, ElementsAre(99, 1));
}

TEST(CifarReader, SaysWhatIsWrong) {
  const std::string good = record("\x01", 0);
  EXPECT_EQ(fault_of_file(CifarKind::kCifar10, good), "accepted");
  for (std::size_t size = 0; size < good.size(); size += 61) {
    EXPECT_EQ(
        fault_of_file(CifarKind::kCifar10, good.substr(0, size)),
        "file.bin: " + std::to_string(size) + " bytes, expected whole records of 3073 (CIFAR-10)");
  }
  EXPECT_EQ(fault_of_file(CifarKind::kCifar100, good),
            "file.bin: 3073 bytes, expected whole records of 3074 (CIFAR-100)");
  EXPECT_EQ(fault_of_file(CifarKind::kCifar10, good + record("\x0a", 0)),
            "file.bin: record 1 has label 10, CIFAR-10 has classes 0 to 9");
  EXPECT_EQ(fault_of_file(CifarKind::kCifar100, record("\x01\x64", 0)),
            "file.bin: record 0 has label 100, CIFAR-100 has classes 0 to 99");
  const std::filesystem::path none = "none/train.bin";
  EXPECT_EQ(fault_of([&] {
              read_cifar(CifarKind::kCifar100, {&none, 1});
            }),
            "none/train.bin: cannot open it: No such file or directory");
}

}  // namespace
}  // namespace lockstep
