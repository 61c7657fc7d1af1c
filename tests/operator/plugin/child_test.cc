// Programs run side by side.
#include "operator/plugin/child.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

Command shell(const std::string& script) { return {"sh", "-c", script}; }

TEST(Child, GivesBothStreamsAndTheCode) {
  const Ended ended = run(shell("echo out; echo err >&2; exit 3"));
  EXPECT_EQ(ended.code, 3);
  EXPECT_EQ(ended.out, "out\n");
  EXPECT_EQ(ended.err, "err\n");
  EXPECT_EQ(run(shell("kill -9 $$")).code, 128 + 9);
}

TEST(Child, TakesItsArgumentsAsTheyAre) {
  EXPECT_EQ(run({"printf", "%s|", "a b", "$HOME", ";exit 7", "*"}).out, "a b|$HOME|;exit 7|*|");
}

TEST(Child, SaysWhenAProgramCannotBeStarted) {
  const Ended ended = run({"/nowhere/kubectl"});
  EXPECT_EQ(ended.code, 127);
  EXPECT_EQ(ended.err, "cannot run /nowhere/kubectl: No such file or directory");
}

TEST(Child, ReadsMoreThanAPipeHolds) {
  const Ended ended = run(shell("head -c 3000000 /dev/zero; head -c 300000 /dev/zero >&2"));
  EXPECT_EQ(ended.out.size(), 3'000'000u);
  EXPECT_EQ(ended.err.size(), 300'000u);
}

TEST(Streams, HandOnWhatEachPrintsAndHowItEnds) {
  std::map<std::string, std::string> out;
  std::map<std::string, int> codes;
  Streams streams;
  EXPECT_TRUE(streams.start("a", shell("echo 1; sleep 0.2; echo 2; exit 3")));
  EXPECT_TRUE(streams.start("b", shell("printf x")));
  EXPECT_FALSE(streams.start("c", {"/nowhere/kubectl"}));
  EXPECT_TRUE(streams.runs("a"));
  const auto deadline = Clock::now() + std::chrono::seconds(20);
  while (streams.count() > 0 && Clock::now() < deadline) {
    streams.serve(
        milliseconds(100),
        [&](const std::string& name, std::string_view bytes) { out[name] += bytes; },
        [&](const std::string& name, int code) { codes[name] = code; });
  }
  EXPECT_EQ(out, (std::map<std::string, std::string>{{"a", "1\n2\n"}, {"b", "x"}}));
  EXPECT_EQ(codes, (std::map<std::string, int>{{"a", 3}, {"b", 0}}));
}

TEST(Streams, EndWithWhoeverStartedThem) {
  const auto start = Clock::now();
  {
    Streams streams;
    streams.start("a", {"sleep", "60"});
    streams.serve(
        milliseconds(10), [](auto&&, auto&&) {}, [](auto&&, auto&&) {});
  }
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(20));
}

TEST(Child, IsCutOffWhenItPrintsTooMuchOrTakesTooLong) {
  const Ended endless = run({"yes"}, {.bytes = 1000});
  EXPECT_EQ(endless.code, 128 + 9);
  EXPECT_EQ(endless.out, "");
  EXPECT_EQ(endless.err, "its answer is too long");
  const auto start = Clock::now();
  const Ended late = run({"sleep", "60"}, {.time = milliseconds(50)});
  EXPECT_EQ(late.err, "it took too long");
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(20));
}

TEST(Child, AnswersInTheOrderOfTheQuestionsAndAllAtOnce) {
  std::vector<Command> commands;
  for (int i = 0; i < 20; ++i) {
    commands.push_back(
        shell("sleep 0.0" + std::to_string(9 - i % 10) + "; echo " + std::to_string(i)));
  }
  const std::vector<Ended> ended = run_all(commands);
  ASSERT_EQ(ended.size(), 20u);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(ended[i].out, std::to_string(i) + "\n");
  EXPECT_TRUE(run_all({}).empty());
}

// Each waits for a name in a pipe that another one writes: alone they would wait for ever.
TEST(Child, RunsBesideItsSiblings) {
  const std::string fifo = ::testing::TempDir() + "lockstep-child-test-fifo";
  std::remove(fifo.c_str());
  ASSERT_EQ(run({"mkfifo", fifo}).code, 0);
  const auto ended =
      run_all({{"cat", fifo}, {"cp", "/etc/hostname", fifo}}, {.time = std::chrono::seconds(30)});
  std::remove(fifo.c_str());
  EXPECT_EQ(ended[0].err + ended[1].err, "");
  EXPECT_FALSE(ended[0].out.empty());
}

TEST(Child, StreamsWhatItPrintsAndTellsTheCode) {
  std::string seen;
  EXPECT_EQ(stream(shell("echo a; echo b; exit 4"), [&](std::string_view text) { seen += text; }),
            4);
  EXPECT_EQ(seen, "a\nb\n");
  EXPECT_EQ(stream({"/nowhere/kubectl"}, [](std::string_view) {}), 127);
}

}  // namespace
}  // namespace lockstep
