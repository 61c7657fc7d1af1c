// Stacks of this very process, from its standard error.
#include "trainer/status/stacks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <semaphore>
#include <thread>
#include <vector>

namespace lockstep {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string stacks() {
  write_stacks_on_request();
  ::testing::internal::CaptureStderr();
  raise(SIGUSR1);
  return ::testing::internal::GetCapturedStderr();
}

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++found;
  return found;
}

std::string header_of(int thread, const std::string& name) {
  return "thread " + std::to_string(thread) + " " + name + ":\n";
}

// A thread that waits for the end of the test.
class Waiting {
 public:
  explicit Waiting(const char* name, bool blocks_signals = false)
      : thread_([this, name, blocks_signals] {
          sigset_t all;
          sigfillset(&all);
          if (blocks_signals) pthread_sigmask(SIG_BLOCK, &all, nullptr);
          pthread_setname_np(pthread_self(), name);
          id_ = gettid();
          begun_.release();
          end_.acquire();
        }) {
    begun_.acquire();
  }
  ~Waiting() {
    end_.release();
    thread_.join();
  }
  int id() const { return id_; }

 private:
  std::binary_semaphore begun_{0}, end_{0};
  int id_ = 0;
  std::thread thread_;
};

TEST(Stacks, ShowEveryThreadByItsName) {
  const Waiting one("loader"), other("prefetch");
  const std::string text = stacks();
  EXPECT_THAT(text, HasSubstr(header_of(gettid(), "status_test")));
  EXPECT_THAT(text, HasSubstr(header_of(one.id(), "loader")));
  EXPECT_THAT(text, HasSubstr(header_of(other.id(), "prefetch")));
  EXPECT_THAT(text, HasSubstr("status_test("));
  EXPECT_THAT(text, HasSubstr("libc.so"));
  EXPECT_THAT(text, Not(HasSubstr("does not answer")));
  EXPECT_TRUE(text.ends_with("end of stacks\n"));
}

TEST(Stacks, GoOnPastAThreadThatDoesNotAnswer) {
  const Waiting deaf("deaf", /*blocks_signals=*/true), other("other");
  const std::string text = stacks();
  EXPECT_THAT(text, HasSubstr(header_of(deaf.id(), "deaf") + "  it does not answer"));
  EXPECT_THAT(text, HasSubstr(header_of(other.id(), "other")));
}

[[gnu::noinline]] int recurse(int depth, std::string& text) {
  if (depth > 0) {
    const int below = recurse(depth - 1, text);
    asm volatile("" ::: "memory");  // or the compiler makes a loop of it
    return below + 1;
  }
  text = stacks();
  return 0;
}

TEST(Stacks, HaveAtMost64FramesAThread) {
  std::string text;
  ASSERT_EQ(recurse(500, text), 500);
  EXPECT_EQ(count(text, "\n"), 1 + 64 + 1);
}

TEST(Stacks, ListAtMost64Threads) {
  std::vector<std::unique_ptr<Waiting>> many;
  for (int i = 0; i < 80; ++i) many.push_back(std::make_unique<Waiting>("one"));
  const std::string text = stacks();
  EXPECT_EQ(count(text, "thread "), 64);
  EXPECT_THAT(text, HasSubstr("more threads are left out\n"));
}

}  // namespace
}  // namespace lockstep
