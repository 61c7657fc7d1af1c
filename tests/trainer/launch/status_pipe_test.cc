// Lines out of a FIFO: cut, counted, and never more than can be looked at.
#include "trainer/launch/status_pipe.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <system_error>

#include "tests/support/temporary_directory.h"

namespace lockstep {
namespace {

using Time = StatusPipe::Time;
using std::chrono::milliseconds;

class StatusPipes : public ::testing::Test {
 protected:
  Time at(int ms) const { return Time() + std::chrono::hours(1) + milliseconds(ms); }
  std::string step(int number) const { return "{\"step\":" + std::to_string(number) + "}\n"; }

  testing::TemporaryDirectory directory_;
  std::filesystem::path path_ = directory_ / "rank-0";
  StatusPipe pipe_{path_};
};

TEST_F(StatusPipes, TakeTheSameLinesInAnyPieces) {
  const std::string bytes = step(1) + "oops\n" + step(2);
  for (std::size_t size = 1; size <= bytes.size(); ++size) {
    StatusPipe pipe(directory_ / ("pieces-" + std::to_string(size)));
    for (std::size_t begin = 0; begin < bytes.size(); begin += size) {
      pipe.feed(bytes.substr(begin, size), at(0));
    }
    EXPECT_EQ(pipe.report()[Field::kStep], 2) << size;
    EXPECT_EQ(pipe.counts().accepted, 2) << size;
    EXPECT_EQ(pipe.counts().rejected, 1) << size;
    EXPECT_EQ(pipe.first_fault(), "it is no JSON object");
  }
}

TEST_F(StatusPipes, TakeALineOf4096BytesAndNoneOfMore) {
  const std::string start = R"({"step":5,"note":")", end = "\"}\n";
  const auto line = [&](std::size_t size) {
    return start + std::string(size - start.size() - end.size(), 'x') + end;
  };
  pipe_.feed(line(4097), at(0));
  EXPECT_EQ(pipe_.counts().rejected, 1);
  EXPECT_EQ(pipe_.first_fault(), "it is longer than 4096 bytes");
  pipe_.feed(line(4096), at(0));
  EXPECT_EQ(pipe_.counts().accepted, 1);
  for (int i = 0; i < 100; ++i) pipe_.feed(std::string(10000, 'y'), at(0));
  pipe_.feed("\n" + step(6), at(0));
  EXPECT_EQ(pipe_.counts().rejected, 2) << "a megabyte without an end is one line";
  EXPECT_EQ(pipe_.report()[Field::kStep], 6);
}

TEST_F(StatusPipes, LookAtTheNewestOfTooMany) {
  for (int i = 1; i <= 1000; ++i) pipe_.feed(step(i), at(0));
  EXPECT_EQ(pipe_.report()[Field::kStep], StatusPipe::kLinesPerSecond);
  pipe_.settle();
  EXPECT_EQ(pipe_.report()[Field::kStep], 1000);
  EXPECT_EQ(pipe_.counts().accepted, 101);
  EXPECT_EQ(pipe_.counts().skipped, 899);
  pipe_.feed(step(1001), at(1000));
  EXPECT_EQ(pipe_.report()[Field::kStep], 1001) << "another second, another hundred";
}

TEST_F(StatusPipes, TakeWhatWasPutOffInOrder) {
  for (int i = 0; i < StatusPipe::kLinesPerSecond; ++i) pipe_.feed(step(i), at(0));
  pipe_.feed("{\"step\":500,\"loss\":0.5}\n", at(10));
  EXPECT_EQ(pipe_.last_accepted(), at(0));
  pipe_.feed(step(501), at(1500));
  EXPECT_EQ(pipe_.report()[Field::kStep], 501);
  EXPECT_EQ(pipe_.report()[Field::kLoss], 0.5);
  EXPECT_EQ(pipe_.last_accepted(), at(1500));
}

TEST_F(StatusPipes, CountOnlyAcceptedLinesAsProgress) {
  EXPECT_EQ(pipe_.last_accepted(), std::nullopt);
  pipe_.feed(step(1), at(5));
  pipe_.feed("oops\n", at(10));
  EXPECT_EQ(pipe_.last_accepted(), at(5));
}

TEST_F(StatusPipes, AreForTheirUserOnlyAndStayOpenWithoutAWriter) {
  using std::filesystem::perms;
  EXPECT_EQ(std::filesystem::status(path_).permissions(), perms::owner_read | perms::owner_write);
  for (int i = 1; i <= 2; ++i) {
    const Fd writer(open(path_.c_str(), O_WRONLY | O_NONBLOCK));
    ASSERT_TRUE(writer.is_open());
    ASSERT_EQ(write(writer.get(), step(i).data(), step(i).size()), std::ssize(step(i)));
    pipe_.read(at(i));
    pipe_.read(at(i));
    EXPECT_EQ(pipe_.report()[Field::kStep], i);
  }
}

TEST_F(StatusPipes, AreNotMadeWhereSomethingStands) {
  EXPECT_THROW(StatusPipe{path_}, std::system_error);
}

}  // namespace
}  // namespace lockstep
