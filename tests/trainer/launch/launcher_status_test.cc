// What ranks write to LOCKSTEP_STATUS, as the real program hears and tells it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/support/temporary_directory.h"
#include "tests/trainer/launch/chatter_lines.h"
#include "tests/trainer/launch/launched.h"
#include "tests/trainer/launch/web.h"

namespace lockstep::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using testing::TemporaryDirectory;

json progress(int port) { return json::parse(get_page(port, "/progress")); }

// The /progress page once it says so.
json wait_for_progress(int port, const std::function<bool(const json&)>& condition) {
  json page;
  wait_until("progress", [&] { return condition(page = progress(port)); });
  return page;
}

// The code block of that language in docs/progress.md.
std::string sample(const std::string& language) {
  const std::string page = testing::content_of(DOCUMENT);
  const std::size_t begin = page.find("```" + language + "\n") + 4 + language.size();
  return page.substr(begin, page.find("```", begin) - begin);
}

const json kSaid = {{"rank", 0}, {"phase", "step"}, {"step", 120}, {"steps", 900}, {"loss", 0.5}};

TEST(LauncherStatus, HearsAShell) {
  const int port = free_port();
  Launched launched(shell(2, R"(echo '{"phase":"step","step":'$((RANK+7))'}' > $LOCKSTEP_STATUS; )"
                             "exec sleep 1000"),
                    {}, port);
  const json page = wait_for_progress(
      port, [](const json& page) { return page["ranks"].dump().find("8") != std::string::npos; });
  EXPECT_EQ(page["ranks"][1]["step"], 8);
  EXPECT_EQ(page["ranks"][1]["phase"], "step");
  launched.signal(SIGTERM);
  EXPECT_EQ(launched.wait(), 143);
}

TEST(LauncherStatus, HearsThePythonSample) {
  const int port = free_port();
  TemporaryDirectory directory;
  testing::set_content(directory / "train.py",
                       sample("python") +
                           "\nreport(phase='step', step=120, steps=900, loss=0.5)\n"
                           "report(loss=float('nan'))\nimport time; time.sleep(1000)\n");
  Launched launched({"/usr/bin/python3", directory / "train.py"}, {}, port);
  wait_for_progress(
      port, [](const json& page) { return page.value("progress", json::object()) == kSaid; });
  EXPECT_THAT(get_page(port, "/metrics"), HasSubstr("result=\"rejected\"} 0.0"));
}

TEST(LauncherStatus, HearsTheCppSample) {
  const int port = free_port();
  TemporaryDirectory directory;
  testing::set_content(directory / "train.cc",
                       sample("cpp") +
                           "\nint main() {\n"
                           "  report(R\"({\"phase\":\"step\",\"step\":120,\"steps\":900})\");\n"
                           "  report(R\"({\"loss\":0.5})\");\n  pause();\n}\n");
  const std::string program = directory / "train";
  const std::string compile = CXX " -Wall -Wextra -Werror -o " + program + " " + program + ".cc";
  ASSERT_EQ(std::system(compile.c_str()), 0);
  Launched launched({program}, {}, port);
  wait_for_progress(
      port, [](const json& page) { return page.value("progress", json::object()) == kSaid; });
}

TEST(LauncherStatus, SamplesAreSilentWhereNobodyListens) {
  TemporaryDirectory directory;
  testing::set_content(directory / "train.py", sample("python") + "\nreport(step=1)\n");
  const std::string python = "/usr/bin/python3 " + (directory / "train.py").string();
  EXPECT_EQ(std::system(("env -u LOCKSTEP_STATUS " + python).c_str()), 0);
  EXPECT_EQ(std::system(("LOCKSTEP_STATUS=/no/such/file " + python).c_str()), 0);
  ASSERT_EQ(std::system(("mkfifo " + (directory / "fifo").string()).c_str()), 0);
  EXPECT_EQ(
      std::system(("LOCKSTEP_STATUS=" + (directory / "fifo").string() + " " + python).c_str()), 0);
}

TEST(LauncherStatus, TellsWhoAndWhere) {
  const int port = free_port();
  Launched launched(shell(1, "exec sleep 1000"),
                    {{"LOCKSTEP_JOB_NAME", "mnist"},
                     {"LOCKSTEP_ATTEMPT", "3"},
                     {"NNODES", "2"},
                     {"NODE_RANK", "1"},
                     {"MASTER_ADDR", "head"}},
                    port);
  const json page = progress(port);
  EXPECT_EQ(page["job"], "mnist");
  EXPECT_EQ(page["attempt"], 3);
  EXPECT_EQ(page["nodeRank"], 1);
  EXPECT_EQ(page["ranks"][0]["rank"], 1);
  EXPECT_EQ(get_page(port, "/healthz"), "ok\n");
}

TEST(LauncherStatus, TellsWhichRanksHaveEnded) {
  const int port = free_port();
  Launched launched(shell(2, "[ $RANK = 0 ] && exit 0; exec sleep 1000"), {}, port);
  const json page =
      wait_for_progress(port, [](const json& page) { return !page["ranks"][0]["running"]; });
  EXPECT_EQ(page["ranks"][1]["running"], true);
}

TEST(LauncherStatus, FindsAnotherPlaceForItsFifo) {
  Launched launched(shell(1, "echo $LOCKSTEP_STATUS"),
                    {{"TMPDIR", "/no/such"}, {"LOCKSTEP_STATUS", "/of/another/launcher"}});
  EXPECT_EQ(launched.wait(), 0);
  EXPECT_THAT(launched.output(), StartsWith("[rank 0] /tmp/lockstep-status-"));
}

TEST(LauncherStatus, NamesTheFirstBadLineOnly) {
  Launched launched(shell(1,
                          "for i in 1 2 3; do echo oops > $LOCKSTEP_STATUS; done; "
                          "echo ready; exec sleep 1000"));
  launched.wait_for("wrote a line to LOCKSTEP_STATUS that is dropped: it is no JSON object");
  launched.wait_for("ready");
  launched.signal(SIGTERM);
  EXPECT_EQ(launched.wait(), 143);
  const std::string& output = launched.output();
  EXPECT_EQ(output.find("that is dropped"), output.rfind("that is dropped"));
}

// Counts its steps until it is stopped.
constexpr char kDiligent[] =
    R"(i=0; while :; do i=$((i+1)); echo '{"phase":"step","step":'$i'}' > $LOCKSTEP_STATUS; )"
    "[ $i = 1 ] && echo pid=$$; sleep 0.02; done";

TEST(LauncherStatus, ShowsARankThatStandsStillBesideOthersThatGoOn) {
  const int port = free_port();
  Launched launched(shell(2, kDiligent), {}, port);
  launched.wait_for("pid=", 2);
  const bool is_rank_1_first = launched.output().starts_with("[rank 1]");
  const pid_t victim = launched.numbers("pid=").at(is_rank_1_first ? 0 : 1);
  kill(victim, SIGSTOP);
  const json page = wait_for_progress(port, [](const json& page) {
    return page["ranks"][1].value("secondsSinceProgress", 0.) > 1;
  });
  EXPECT_LT(page["ranks"][0]["secondsSinceProgress"], 0.9);
  EXPECT_LT(page["secondsSinceProgress"], 0.9);
  EXPECT_EQ(page["slowest"]["rank"], 1);
  kill(victim, SIGCONT);
  wait_for_progress(port, [](const json& page) {
    return page["ranks"][1].value("secondsSinceProgress", 9.) < 0.5;
  });
}

TEST(LauncherStatus, LeavesNoFifoBehind) {
  for (const auto& [script, code] : {std::pair{"exit 0", 0}, {"exit 3", 3}, {"kill -9 $$", 137}}) {
    TemporaryDirectory directory;
    Launched launched(shell(2, "echo $LOCKSTEP_STATUS; " + std::string(script)),
                      {{"TMPDIR", directory.path()}});
    EXPECT_EQ(launched.wait(), code);
    EXPECT_THAT(launched.output(), HasSubstr(directory.path().string() + "/lockstep-status-"));
    EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
  }
}

TEST(LauncherStatus, RemovesTheFifosOfALauncherThatWasKilled) {
  TemporaryDirectory directory;
  const std::map<std::string, std::string> environment = {{"TMPDIR", directory.path()}};
  Launched killed(shell(2, "echo ready; exec sleep 1000"), environment);
  killed.wait_for("ready", 2);
  Launched living(shell(2, "echo ready; exec sleep 1000"), environment);
  living.wait_for("ready", 2);
  killed.signal(SIGKILL);
  EXPECT_EQ(killed.wait(), 137);
  const auto left = [&] {
    return std::distance(std::filesystem::directory_iterator(directory.path()), {});
  };
  EXPECT_EQ(left(), 2);
  Launched next(shell(1, "exit 0"), environment);
  EXPECT_EQ(next.wait(), 0);
  EXPECT_EQ(left(), 1) << "that of the living";
}

TEST(LauncherStatus, NeverKeepsAWriterWaiting) {
  Launched launched(
      shell(1,
            "head -c 20000000 /dev/zero | tr '\\0' x > $LOCKSTEP_STATUS; "
            "yes '{\"step\":1}' | head -c 20000000 > $LOCKSTEP_STATUS; echo through"));
  EXPECT_EQ(launched.wait(), 0);
  EXPECT_THAT(launched.output(), HasSubstr("[rank 0] through\n"));
}

TEST(LauncherStatus, HearsARankWhoseOutputNobodyReads) {
  const int port = free_port();
  Launched launched(shell(1,
                          "yes & sleep 0.5; while :; do echo '{\"step\":5}'; done > "
                          "$LOCKSTEP_STATUS"),
                    {}, port);
  wait_for_progress(port, [](const json& page) {
    return page.value("progress", json::object()).value("step", 0) == 5;
  });
  launched.signal(SIGTERM);
  EXPECT_EQ(launched.wait_deaf(), 143);
}

TEST(LauncherStatus, FloodsTearNoLineOfTheOutput) {
  const int port = free_port();
  const std::string script =
      "yes '{\"phase\":\"step\",\"step\":77}' > $LOCKSTEP_STATUS & flood=$!; " CHATTER
      " 25; kill $flood";
  Launched launched(shell(4, script), {}, port);
  EXPECT_EQ(progress(port)["ranks"].size(), 4);
  ASSERT_EQ(launched.wait(), 0);
  EXPECT_GT(launched.output().size(), 100U << 20);
  expect_whole_chatter(launched.output(), 4);
}

}  // namespace
}  // namespace lockstep::test
