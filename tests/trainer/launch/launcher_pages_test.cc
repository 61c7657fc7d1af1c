// The progress page among strangers: whatever clients do, ranks and signals do not wait.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <vector>

#include "tests/trainer/launch/launched.h"
#include "tests/trainer/launch/web.h"

namespace lockstep::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// What a process has used so far: fields 14 and 15 of /proc/<pid>/stat, of which its name is 2.
double cpu_seconds(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string stat;
  std::getline(file, stat);
  std::istringstream fields(stat.substr(stat.rfind(')') + 1));
  std::vector<std::string> words{std::istream_iterator<std::string>(fields), {}};
  return (std::stod(words.at(11)) + std::stod(words.at(12))) / sysconf(_SC_CLK_TCK);
}

class LauncherPages : public ::testing::Test {
 protected:
  void expect_prompt_answer() {
    const auto begin = Clock::now();
    EXPECT_EQ(get_page(port_, "/healthz"), "ok\n");
    EXPECT_LT(seconds_since(begin), 1);
  }

  // SIGTERM ends the ranks at once, whoever is connected.
  void expect_prompt_end() {
    const auto begin = Clock::now();
    launched_.signal(SIGTERM);
    EXPECT_EQ(launched_.wait(), 143) << launched_.output();
    EXPECT_LT(seconds_since(begin), 1.5);
  }

  int port_ = free_port();
  Launched launched_{shell(2, "echo '{}' > $LOCKSTEP_STATUS; exec sleep 1000"), {}, port_};
};

TEST_F(LauncherPages, CutOffWhoSaysNothingHalfOrGarbageAfterTwoSeconds) {
  std::deque<Fd> clients;
  for (const char* text :
       {"", "GET /progress HT", "\x16\x03\x01\x02", "GET /progress HTTP/1.1\r\n"}) {
    clients.push_back(connect_to(port_));
    send_text(clients.back(), text);
  }
  expect_prompt_answer();
  const auto begin = Clock::now();
  for (const Fd& client : clients) EXPECT_EQ(receive_all(client), "");
  EXPECT_GT(seconds_since(begin), 1);
  EXPECT_LT(seconds_since(begin), 4);
  expect_prompt_end();
}

TEST_F(LauncherPages, CutOffWhoDrips) {
  const Fd client = connect_to(port_);
  const auto begin = Clock::now();
  send_text(client, "GET /progress HTTP/1.1\r\nX: ");
  pollfd cut = {client.get(), POLLIN, 0};
  while (poll(&cut, 1, 20) == 0 && seconds_since(begin) < 10) {
    send_text(client, "x");
    expect_prompt_answer();
  }
  EXPECT_EQ(receive_all(client), "");
  EXPECT_GT(seconds_since(begin), 1);
  EXPECT_LT(seconds_since(begin), 4);
}

TEST_F(LauncherPages, AnswerARequestThatIsTooLongOrHasABody) {
  const Fd client = connect_to(port_);
  send_text(client, "GET /" + std::string(10000, 'x'));
  EXPECT_THAT(receive_all(client), StartsWith("HTTP/1.1 431"));
  const Fd poster = connect_to(port_);
  send_text(poster,
            "POST /progress HTTP/1.1\r\nContent-Length: 60000\r\n\r\n" + std::string(50000, 'x'));
  EXPECT_THAT(receive_all(poster), HasSubstr("\r\n\r\n405 Method Not Allowed\n"));
  expect_prompt_answer();
}

TEST_F(LauncherPages, DoNotMindWhoLeavesWithoutReading) {
  for (int i = 0; i < 200; ++i) {
    const Fd client = connect_to(port_);
    send_text(client, "GET /metrics HTTP/1.1\r\n\r\n");
  }
  expect_prompt_answer();
  expect_prompt_end();
}

TEST_F(LauncherPages, StandTenThousandConnections) {
  std::deque<Fd> clients;
  for (int i = 0; i < 10000; ++i) {
    clients.push_back(connect_to(port_));
    send_text(clients.back(), i % 2 ? "GET /metrics HTTP/1.1\r\n" : "");
    if (clients.size() > 200) clients.pop_front();
    if (i % 1000 == 500) expect_prompt_answer();
  }
  expect_prompt_answer();
  expect_prompt_end();
}

TEST_F(LauncherPages, LetTheLauncherSleepWhileNothingHappens) {
  const Fd client = connect_to(port_);
  const double before = cpu_seconds(launched_.pid());
  EXPECT_EQ(receive_all(client), "") << "two seconds later";
  EXPECT_LT(cpu_seconds(launched_.pid()) - before, 0.5);
}

TEST_F(LauncherPages, WaitForADescriptorWhereThereIsNone) {
  std::deque<Fd> idle;  // they fill the gaps among the descriptor numbers
  while (idle.size() < 7) idle.push_back(connect_to(port_));
  expect_prompt_answer();
  const std::string open = "/proc/" + std::to_string(launched_.pid()) + "/fd/";
  rlim_t lowest_free = 0;
  while (std::filesystem::exists(open + std::to_string(lowest_free))) ++lowest_free;
  ASSERT_GT(lowest_free, 16) << "poll(2) refuses more entries than there may be descriptors";
  const rlimit no_more = {lowest_free, lowest_free};
  prlimit(launched_.pid(), RLIMIT_NOFILE, &no_more, nullptr);
  const double before = cpu_seconds(launched_.pid());
  const auto begin = Clock::now();
  EXPECT_EQ(get_page(port_, "/healthz"), "ok\n") << "once the idle ones are cut off";
  EXPECT_GT(seconds_since(begin), 0.8);
  EXPECT_LT(cpu_seconds(launched_.pid()) - before, 0.5);
}

TEST_F(LauncherPages, HoldNoSignalUp) {
  const Fd client = connect_to(port_);
  send_text(client, "GET /progress HTTP/1.1\r\n");
  expect_prompt_answer();
  expect_prompt_end();
}

TEST(LauncherPort, IsDoneWithoutWhenItIsTaken) {
  const int port = free_port();
  Launched first(shell(1, "exec sleep 1000"), {}, port);
  get_page(port, "/healthz");
  Launched second(shell(1, "echo worked"), {}, port);
  EXPECT_EQ(second.wait(), 0);
  EXPECT_THAT(second.output(), HasSubstr("[launch] no progress page on port " +
                                         std::to_string(port) + ": Address already in use\n"));
  EXPECT_THAT(second.output(), HasSubstr("[rank 0] worked\n"));
}

TEST(LauncherPort, IsFreeAgainAtOnce) {
  const int port = free_port();
  for (int i = 0; i < 3; ++i) {
    Launched launched(shell(1, "exec sleep 1000"), {}, port);
    EXPECT_EQ(get_page(port, "/healthz"), "ok\n") << launched.output();
  }
}

TEST(LauncherPort, IsOpenToOtherMachinesOnlyUnderTheOperator) {
  const int port = free_port();
  const auto listens_everywhere = [&](const std::map<std::string, std::string>& environment) {
    Launched launched(shell(1, "exec sleep 1000"), environment, port);
    get_page(port, "/healthz");
    return can_connect("127.0.0.2", port);  // loopback as well, but not the address 127.0.0.1
  };
  EXPECT_FALSE(listens_everywhere({}));
  EXPECT_TRUE(listens_everywhere({{"LOCKSTEP_JOB_UID", "0815"}}));
}

}  // namespace
}  // namespace lockstep::test
