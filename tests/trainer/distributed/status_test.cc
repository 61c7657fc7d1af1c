// What lockstep-train tells of itself: line by line, and through lockstep-launch.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/stat.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/trainer/distributed/training.h"
#include "tests/trainer/launch/launched.h"
#include "tests/trainer/launch/web.h"
#include "trainer/launch/report.h"

namespace lockstep::testing {
namespace {

using nlohmann::json;
using test::Launched;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Steps and nothing else for as long as a test may last.
const Settings kEndless{"data.train.samples=24000", "train.epochs=1000000",
                        "train.eval_every_epochs=1000000", "checkpoint.every_epochs=0",
                        "checkpoint.every_steps=0"};

class TrainingStatus : public Training {
 protected:
  // All lines that one rank writes in a whole run.
  std::vector<std::string> lines_of_a_run(const std::string& checkpoints) {
    const Fd reader = listen();
    const auto exits = run_ranks(command(checkpoints), 1, {{"LOCKSTEP_STATUS", fifo_}});
    EXPECT_EQ(exits[0].code, 0);
    output_ = exits[0].output;
    return lines_in(reader);
  }

  Fd listen() const {
    mkfifo(fifo_.c_str(), 0600);
    return Fd(open(fifo_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  }

  static std::vector<std::string> lines_in(const Fd& reader) {
    std::string text(64 << 10, '\0');
    text.resize(std::max<ssize_t>(read(reader.get(), text.data(), text.size()), 0));
    std::istringstream stream(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  }

  // Under the launcher each rank says its process id, trains and then does `after`.
  std::vector<std::string> launched(int ranks, const Settings& more, const std::string& after) {
    // On a port of its own: other trainings run beside this one.
    std::vector<std::string> words{"--standalone", "--nproc", std::to_string(ranks),
                                   "--",           "sh",      "-c"};
    words.push_back(R"(echo "pid=$$ of $RANK."; )" + after);
    for (const std::string& word : command("launched", more)) words.push_back(word);
    return words;
  }

  const std::string fifo_ = folder_ / "fifo";
  std::string output_;
};

json progress(int port) { return json::parse(test::get_page(port, "/progress")); }

TEST_F(TrainingStatus, IsAcceptedLineByLineFromInitToDone) {
  const auto lines = lines_of_a_run("told");
  Report report;
  std::vector<std::string> phases;
  for (const std::string& line : lines) {
    EXPECT_EQ(merge_line(report, line), "") << line;
    if (phases.empty() || phases.back() != report.phase) phases.push_back(report.phase);
  }
  ASSERT_GT(phases.size(), 10u);
  const auto some = [&](std::size_t from, std::size_t count) {
    return std::vector<std::string>(phases.begin() + static_cast<long>(from),
                                    phases.begin() + static_cast<long>(from + count));
  };
  EXPECT_THAT(some(0, 6), ElementsAre("init", "data", "init", "step", "checkpoint", "step"));
  EXPECT_THAT(some(phases.size() - 4, 4), ElementsAre("step", "eval", "checkpoint", "done"));
  EXPECT_EQ(std::count(phases.begin(), phases.end(), "checkpoint"), 80 / 6 + 2);  // of two epochs
  EXPECT_EQ(std::count(phases.begin(), phases.end(), "eval"), 2);
}

TEST_F(TrainingStatus, EndsWithTheFiguresOfTheLastProgressLine) {
  const json last = json::parse(lines_of_a_run("told").back());
  EXPECT_EQ(last["phase"], "done");
  for (const char* name : {"step", "steps", "checkpointStep"}) EXPECT_EQ(last[name], kLastStep);
  for (const char* name : {"epoch", "epochs"}) EXPECT_EQ(last[name], 2);
  char loss[40];
  std::snprintf(loss, sizeof loss, "step 80/80 loss %.4f ", last["loss"].get<double>());
  EXPECT_THAT(output_, HasSubstr(loss));
  EXPECT_GT(last["samplesPerSecond"], 0);
  EXPECT_EQ(last["secondsRemaining"], 0);
  EXPECT_GT(last["dataWait"], 0);
  EXPECT_EQ(last["commWait"], 0) << "alone";
}

// The last word of a run that is stopped is of a checkpoint that is there.
TEST_F(TrainingStatus, EndsWithTheCheckpointOfAStop) {
  const Fd reader = listen();
  Ranks ranks(command("stopped", kEndless), 1, {{"LOCKSTEP_STATUS", fifo_}});
  ASSERT_TRUE(ranks.has_said(0, "step 10/"));
  ranks.send(0, SIGTERM);
  EXPECT_EQ(ranks.wait()[0].code, 80);
  const json last = json::parse(lines_in(reader).back());
  EXPECT_EQ(last["phase"], "checkpoint");
  EXPECT_EQ(last["checkpointStep"], last["step"]);
  EXPECT_TRUE(std::filesystem::exists(model_of("stopped", last["step"]))) << last;
}

TEST_F(TrainingStatus, ChangesNoBitOfTheTraining) {
  lines_of_a_run("told");
  finish("untold", 1);
  EXPECT_TRUE(bytes_of("told") == bytes_of("untold"));
}

TEST_F(TrainingStatus, IsOnThePageOfTheLauncherUpToDone) {
  const int port = test::free_port();
  Launched run(launched(2, {}, R"("$0" "$@"; echo ended; exec sleep 1000)"), {}, port);
  std::set<std::string> seen;
  json page;
  test::wait_until("both ranks to be done", [&] {
    page = progress(port);
    std::size_t done = 0;
    for (const json& rank : page["ranks"]) {
      seen.insert(rank.value("phase", "none"));
      done += rank.value("phase", "none") == "done";
    }
    return done == 2;
  });
  run.wait_for("ended", 2);
  EXPECT_TRUE(seen.contains("init") && seen.contains("step")) << json(seen);
  for (const json& rank : page["ranks"]) EXPECT_EQ(rank["step"], kLastStep);
  const json told = page["progress"];
  EXPECT_EQ(told["checkpointStep"], kLastStep);
  char loss[40];
  std::snprintf(loss, sizeof loss, "step 80/80 loss %.4f ", told["loss"].get<double>());
  EXPECT_THAT(run.output(), HasSubstr(loss));
  EXPECT_GT(told["commWait"], 0);
  EXPECT_LT(told["commWait"], 1);
}

// Steps take milliseconds and ranks speak once a second: what they said before the stop does not
// tell who is stuck, what they say after it does.
TEST_F(TrainingStatus, NamesAStoppedRankAsTheSlowest) {
  const int port = test::free_port();
  Launched run(launched(2, kEndless, R"(exec "$0" "$@")"), {}, port);
  run.wait_for("pid=", 2);
  for (const int victim : {1, 0, 1, 0}) {
    const std::string said = " of " + std::to_string(victim) + ".";
    const pid_t pid = std::stoi(first_match(run.output(), "pid=([0-9]+)" + said));
    const json before = progress(port);
    test::wait_until("both ranks to go on", [&] {
      const json now = progress(port);
      return now["ranks"][0].value("step", 0) > before["ranks"][0].value("step", 0) &&
             now["ranks"][1].value("step", 0) > before["ranks"][1].value("step", 0);
    });
    kill(pid, SIGSTOP);
    json page;
    test::wait_until("silence", [&] {
      page = progress(port);
      return page.value("secondsSinceProgress", 0.0) > 1.5;
    });
    EXPECT_EQ(page["slowest"]["rank"], victim) << page;
    EXPECT_EQ(page["slowest"]["phase"], "step") << page;
    kill(pid, SIGCONT);
  }
}

// What forks beside threads may inherit a lock that nobody will ever release: ranks have threads.
TEST_F(TrainingStatus, ComesFromNoProcessBesideTheRanks) {
  Launched run(launched(2, kEndless, R"(exec "$0" "$@")"));
  run.wait_for("step 5/");
  EXPECT_EQ(run.processes().size(), 3u) << "the launcher and its two ranks";
}

TEST_F(TrainingStatus, GivesItsStacksWhenAskedAndTrainsOn) {
  Launched run(launched(1, kEndless, R"(exec "$0" "$@")"), {{"OMP_NUM_THREADS", "2"}});
  run.wait_for("step 5/");
  kill(run.numbers("pid=").at(0), SIGUSR1);
  run.wait_for("end of stacks");
  EXPECT_THAT(run.output(), HasSubstr(" lockstep-train:\n"));
  EXPECT_THAT(run.output(), HasSubstr("lockstep-train(_ZN8lockstep7Trainer3runEv"));
  EXPECT_THAT(run.output(), HasSubstr("libgomp.so")) << "the threads of LibTorch";
  run.wait_for("lr ", 1 + static_cast<int>(run.numbers("lr ").size()));
}

}  // namespace
}  // namespace lockstep::testing
