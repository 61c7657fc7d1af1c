// A disk that is full for a while costs no record, and one that stays full no training.
#include "trainer/watch/patient_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <system_error>
#include <vector>

#include "tests/support/temporary_directory.h"

namespace lockstep {
namespace {

using testing::content_of;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::TemporaryDirectory;

// A file of this process cannot grow past the limit: the last write is cut, the next one refused.
class DiskOfSize {
 public:
  explicit DiskOfSize(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    old_handler_ = std::signal(SIGXFSZ, SIG_IGN);
    set(bytes);
  }
  ~DiskOfSize() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, old_handler_);
  }
  void set(rlim_t bytes) {
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }

 private:
  rlimit before_{};
  void (*old_handler_)(int) = nullptr;
};

class PatientFileTest : public ::testing::Test {
 protected:
  int open_file() {
    return ::open((directory_ / "file").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  }
  PatientFile file_of(PatientFile::Open open) {
    return PatientFile("FILE", std::move(open),
                       [this](const std::string& text) { told_.push_back(text); });
  }
  std::string content() { return content_of(directory_ / "file"); }

  TemporaryDirectory directory_;
  std::vector<std::string> told_;
};

TEST_F(PatientFileTest, WritesAtOnce) {
  PatientFile file = file_of([this] { return open_file(); });
  EXPECT_EQ(content(), "");
  file.append("one\n");
  EXPECT_EQ(content(), "one\n");
  file.append("two\n");
  file.sync();
  EXPECT_EQ(content(), "one\ntwo\n");
  EXPECT_THAT(told_, IsEmpty());
}

// At each size the disk may have while 20 records of 10 bytes come.
TEST_F(PatientFileTest, WarnsOnceAndLosesNothingWhenThereIsRoomAgain) {
  for (rlim_t room = 0; room < 100; ++room) {
    std::filesystem::remove(directory_ / "file");
    told_.clear();
    PatientFile file = file_of([this] { return open_file(); });
    DiskOfSize disk(room);
    std::string all;
    for (int i = 10; i < 30; ++i) {
      const std::string record = "record " + std::to_string(i) + "\n";
      if (i == 20) disk.set(1000);
      file.append(record);
      all += record;
      if (i == 19) {
        EXPECT_EQ(content(), all.substr(0, room));
      }
    }
    EXPECT_EQ(content(), all);
    EXPECT_THAT(told_, ElementsAre("warning: FILE: cannot write: File too large; the training goes "
                                   "on without",
                                   "FILE is written again; 0 records are missing"));
  }
}

TEST_F(PatientFileTest, DropsWholeRecordsBeyondAMebibyteAndCountsThem) {
  PatientFile file = file_of([this] { return open_file(); });
  const std::string record = std::string(1023, 'x') + "\n";
  {
    DiskOfSize disk(512);
    for (int i = 0; i < 2000; ++i) file.append(record);
  }
  file.append("end\n");
  EXPECT_EQ(told_.back(), "FILE is written again; 976 records are missing");
  EXPECT_EQ(content().size(), (2000u - 976) * 1024 + 4);
  EXPECT_TRUE(content().ends_with("x\nend\n"));
}

TEST_F(PatientFileTest, OpensLaterWhatCannotBeOpenedNow) {
  int tries = 0;
  PatientFile file = file_of([&] {
    if (++tries < 4) throw std::system_error(EACCES, std::generic_category(), "cannot open it");
    return open_file();
  });
  file.append("one\n");
  file.append("two\n");
  file.append("three\n");
  EXPECT_EQ(content(), "one\ntwo\nthree\n");
  EXPECT_THAT(told_, ElementsAre("warning: FILE: cannot open it: Permission denied; the training "
                                 "goes on without",
                                 "FILE is written again; 0 records are missing"));
}

}  // namespace
}  // namespace lockstep
