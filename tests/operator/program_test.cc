// The program as an administrator meets it: exit codes, log lines, signals.
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>

#include "tests/support/scripted_server.h"
#include "tests/support/temporary_directory.h"

namespace lockstep {
namespace {

using testing::ScriptedServer;
using testing::SeenRequest;
using testing::Wire;

// lockstep-operator in a process of its own; its standard error can be read.
class Program {
 public:
  explicit Program(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), LOCKSTEP_OPERATOR_PROGRAM);
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    int ends[2];
    if (::pipe(ends) != 0) throw std::runtime_error("no pipe");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    ::posix_spawn(&pid_, argv[0], &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    output_ = ends[0];
  }

  ~Program() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      wait();
    }
    ::close(output_);
  }

  // Reads until the text has come; false when the program ended before.
  bool says(const std::string& text) {
    while (said_.find(text) == std::string::npos) {
      char bytes[4096];
      const ssize_t count = ::read(output_, bytes, sizeof(bytes));
      if (count <= 0) return false;
      said_.append(bytes, count);
    }
    return true;
  }

  const std::string& said() const { return said_; }

  void terminate() { ::kill(pid_, SIGTERM); }

  // The exit code, or -1 when a signal ended it.
  int wait() {
    int status = 0;
    ::waitpid(std::exchange(pid_, 0), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t pid_ = 0;
  int output_ = -1;
  std::string said_;
};

class ProgramTest : public ::testing::Test {
 protected:
  // The flags to talk to a server on that port.
  std::vector<std::string> flags_for(int port) {
    const std::string path = (directory_ / "config").string();
    testing::set_content(path,
                         "current-context: x\n"
                         "contexts: [{name: x, context: {cluster: x}}]\n"
                         "clusters: [{name: x, cluster: {server: \"http://127.0.0.1:" +
                             std::to_string(port) + "\"}}]\n");
    return {"--kubeconfig=" + path, "--health-address=127.0.0.1:0"};
  }

  testing::TemporaryDirectory directory_;
};

TEST_F(ProgramTest, Exits64OnAKubeconfigThatDoesNotExist) {
  Program program({"--kubeconfig=/nowhere/config"});
  EXPECT_TRUE(
      program.says("lockstep-operator: kubeconfig /nowhere/config does not exist: give "
                   "--kubeconfig or set KUBECONFIG\n"))
      << program.said();
  EXPECT_EQ(program.wait(), 64);
}

TEST_F(ProgramTest, Exits64OnAnUnknownFlag) {
  Program program({"--workrs=3"});
  EXPECT_TRUE(program.says("there is no flag --workrs: did you mean --workers?\n"));
  EXPECT_EQ(program.wait(), 64);
}

TEST_F(ProgramTest, KeepsTryingAnUnreachableServerAndStopsWhenTold) {
  int port = 0;
  {
    ScriptedServer gone([](const SeenRequest&, int, Wire&) {});
    port = gone.port();
  }
  Program program(flags_for(port));
  const std::string address = "http://127.0.0.1:" + std::to_string(port);
  EXPECT_TRUE(program.says("cannot connect to " + address)) << program.said();
  EXPECT_TRUE(program.says("next_try_ms")) << program.said();
  const auto start = std::chrono::steady_clock::now();
  program.terminate();
  EXPECT_EQ(program.wait(), 0);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
}

TEST_F(ProgramTest, NamesTheVerbThatItsRoleLacks) {
  ScriptedServer server([](const SeenRequest& request, int, Wire& wire) {
    const bool is_pods = request.target.find("/pods") != std::string::npos;
    if (is_pods) {
      wire.reply(403, R"({"kind":"Status","code":403,"reason":"Forbidden","message":)"
                      R"("pods is forbidden: User \"x\" cannot list resource \"pods\" in API)"
                      R"( group \"\" at the cluster scope"})");
    } else {
      wire.reply(200, R"({"metadata":{"resourceVersion":"1"},"items":[]})");
    }
  });
  Program program(flags_for(server.port()));
  EXPECT_TRUE(program.says(
      "cannot list pods in all namespaces: add verb list on pods to the operator's role"))
      << program.said();
}

TEST_F(ProgramTest, StopsWithinTwoSecondsWhileItWatches) {
  std::atomic<int> watches = 0;
  ScriptedServer server([&](const SeenRequest& request, int, Wire& wire) {
    if (request.target.find("watch=true") == std::string::npos) {
      return wire.reply(200, R"({"metadata":{"resourceVersion":"1"},"items":[]})");
    }
    ++watches;
    watches.notify_all();
    wire.wait_until_closed();
  });
  Program program(flags_for(server.port()));
  ASSERT_TRUE(program.says("the caches are filled")) << program.said();
  for (int seen = watches; seen < 3; seen = watches) watches.wait(seen);
  const auto start = std::chrono::steady_clock::now();
  program.terminate();
  EXPECT_EQ(program.wait(), 0);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
}

}  // namespace
}  // namespace lockstep
