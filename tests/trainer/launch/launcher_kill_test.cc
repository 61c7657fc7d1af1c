// Whoever is killed, however often: nothing stays, and the right rank is blamed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>
#include <random>

#include "tests/support/temporary_directory.h"
#include "tests/trainer/launch/launched.h"

namespace lockstep::test {
namespace {

using ::testing::IsEmpty;

// Each rank has a child in its group, one in a session of its own and one below that.
constexpr char kFamily[] =
    "sleep 1000 & echo victim=$!; "
    "setsid sh -c 'echo victim=$$; sleep 1000 & echo victim=$!; wait' & "
    "echo rank-$RANK=$$; echo ready; wait; exec sleep 1000";
constexpr int kRanks = 3;

// LOCKSTEP_SEED repeats a run.
class LauncherKill : public ::testing::Test {
 protected:
  LauncherKill() {
    const char* given = std::getenv("LOCKSTEP_SEED");
    const unsigned seed = given ? std::atoi(given) : std::random_device()();
    std::cout << "LOCKSTEP_SEED=" << seed << std::endl;
    random_.seed(seed);
  }

  template <typename Items>
  auto one_of(const Items& items) {
    return *(std::begin(items) + random_() % std::size(items));
  }

  Launched start(const std::vector<std::string>& wrapper = {}) {
    testing::set_content(log_, "");
    return Launched(shell(kRanks, kFamily, {"--peer-grace", "0.1"}),
                    {{"LOCKSTEP_TERMINATION_LOG", log_}}, 0, wrapper);
  }

  static void wait_for_family(Launched& launched) {
    launched.wait_for("victim=", 3 * kRanks);
    launched.wait_for("ready", kRanks);
  }

  void kill_some_children(const Launched& launched) {
    const auto victims = launched.numbers("victim=");
    for (int kills = random_() % 4; kills > 0; --kills) kill(one_of(victims), SIGKILL);
  }

  static pid_t rank(const Launched& launched, int number) {
    return launched.numbers("rank-" + std::to_string(number) + "=").at(0);
  }

  nlohmann::json message() const { return nlohmann::json::parse(testing::content_of(log_)); }

  void expect_blame_for_a_killed_rank() {
    const int number = random_() % kRanks;
    const int signal = one_of(std::vector{SIGKILL, SIGSEGV, SIGTERM, SIGABRT, SIGUSR1});
    Launched launched = start();
    wait_for_family(launched);
    kill_some_children(launched);
    kill(rank(launched, number), signal);
    EXPECT_EQ(launched.wait(), 128 + signal) << launched.output();
    EXPECT_THAT(launched.processes(), IsEmpty());
    EXPECT_EQ(message()["rank"], number);
    EXPECT_EQ(message()["signal"], signal);
  }

  // Which of them ended first the kernel alone knows.
  void expect_blame_for_one_of_two_killed_ranks() {
    const int first = random_() % kRanks;
    const int second = (first + 1) % kRanks;
    Launched launched = start();
    wait_for_family(launched);
    kill_some_children(launched);
    kill(rank(launched, first), SIGKILL);
    kill(rank(launched, second), SIGSEGV);
    const int code = launched.wait();
    EXPECT_THAT(launched.processes(), IsEmpty());
    EXPECT_EQ(code, 128 + message()["signal"].get<int>());
    EXPECT_EQ(message()["rank"], code == 128 + SIGKILL ? first : second);
  }

  void expect_an_end_when_told_to_stop() {
    Launched launched = start();
    wait_for_family(launched);
    kill_some_children(launched);
    launched.signal(SIGTERM);
    EXPECT_EQ(launched.wait(), 128 + SIGTERM) << launched.output();
    EXPECT_THAT(launched.processes(), IsEmpty());
    EXPECT_EQ(message()["signal"], SIGTERM);
  }

  std::mt19937 random_;
  testing::TemporaryDirectory directory_;
  const std::string log_ = directory_ / "termination-log";
};

TEST_F(LauncherKill, OfRanksAndTheirChildrenLeavesNothingInAHundredRounds) {
  for (int round = 0; round < 100 && !HasFailure(); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    switch (random_() % 4) {
      case 0:
        expect_an_end_when_told_to_stop();
        break;
      case 1:
        expect_blame_for_one_of_two_killed_ranks();
        break;
      default:
        expect_blame_for_a_killed_rank();
    }
  }
}

// As in a pod: the launcher is process 1, and what it leaves the kernel ends.
const std::vector<std::string> kAsProcess1 = {AS_PROCESS_1};

bool is_process_1(pid_t pid) {
  const std::string status = testing::content_of("/proc/" + std::to_string(pid) + "/status");
  const std::size_t begin = status.find("NSpid:");
  return status.substr(begin, status.find('\n', begin) - begin).ends_with("\t1");
}

pid_t launcher_in(const Launched& launched) {
  const auto all = launched.processes();
  return *std::find_if(all.begin(), all.end(), is_process_1);
}

TEST_F(LauncherKill, OfTheLauncherAsProcess1LeavesNothingInTenRounds) {
  for (int round = 0; round < 10; ++round) {
    Launched launched = start(kAsProcess1);
    if (random_() % 2) launched.wait_for("victim=", 1 + random_() % (3 * kRanks));
    if (round % 2) wait_for_family(launched);
    wait_until("the launcher", [&] { return launched.processes().size() > 1; });
    kill(launcher_in(launched), SIGKILL);
    EXPECT_EQ(launched.wait(), 137) << "round " << round;
    EXPECT_THAT(launched.processes(), IsEmpty()) << "round " << round;
  }
}

TEST_F(LauncherKill, StopsAsProcess1WhenItIsTold) {
  Launched launched = start(kAsProcess1);
  wait_for_family(launched);
  kill(launcher_in(launched), SIGTERM);
  EXPECT_EQ(launched.wait(), 143);
  EXPECT_THAT(launched.processes(), IsEmpty());
}

}  // namespace
}  // namespace lockstep::test
