// A running lockstep-launch as a test sees it: its output, its exit code, all processes below it.
#pragma once

#include <sys/types.h>

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "trainer/launch/fd.h"

namespace lockstep::test {

// Every wait has a deadline of 30 seconds, after which it throws std::runtime_error with the output
// so far. The destructor kills what is left.
class Launched {
 public:
  // Standard output and error of the launcher come through one pipe. `environment` is laid over
  // that of the test. Tests run beside each other, so each asks for a progress port of its own.
  // `wrapper` is a program that runs the launcher, such as {"nohup"}.
  explicit Launched(const std::vector<std::string>& arguments,
                    const std::map<std::string, std::string>& environment = {},
                    int progress_port = 0, const std::vector<std::string>& wrapper = {});
  ~Launched();

  pid_t pid() const { return pid_; }
  const std::string& output() const { return output_; }

  // Reads until the output holds `text` `times` times.
  void wait_for(std::string_view text, int times = 1);

  // Reads to the end; the exit code as a shell reports it.
  int wait();

  // Waits for the end without reading.
  int wait_deaf();

  // Nobody reads any more: the launcher's next write fails.
  void close_output() { pipe_.reset(); }

  void signal(int number) const;

  // All live processes this launcher started, itself included, wherever they went: they carry its
  // mark in their environment.
  std::vector<pid_t> processes() const;

  // The numbers behind `label` in the output, such as "pid=".
  std::vector<pid_t> numbers(const std::string& label) const;

 private:
  bool read_some();
  int reap();

  std::string mark_;
  pid_t pid_ = -1;
  Fd pipe_;
  std::string output_;
};

// Yields until `condition` holds. Throws after the deadline.
void wait_until(const std::string& what, const std::function<bool()>& condition);

// Arguments for `sh -c script` in `ranks` processes, after further flags.
std::vector<std::string> shell(int ranks, const std::string& script,
                               std::vector<std::string> flags = {});

}  // namespace lockstep::test
