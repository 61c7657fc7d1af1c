// The ranks of this node, together.
#pragma once

#include <poll.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trainer/launch/worker.h"

namespace lockstep {

class Gang {
 public:
  using OnLine =
      std::function<void(int rank, int target, std::string_view prefix, std::string_view line)>;

  // Starts one more. Throws SpawnError.
  Worker& start(int rank, const std::vector<std::string>& command, const Environment& environment);

  const std::vector<std::unique_ptr<Worker>>& workers() const { return workers_; }

  // nullptr when it was never started.
  Worker* find(int rank) const;

  bool is_running() const;  // any of them
  bool has_open_stream() const;

  // Appends the pipes to read from.
  void watch(std::vector<pollfd>& sources) const;

  // Of each pipe a share of what is there, as long as `has_room()`.
  void read(const OnLine& on_line, const std::function<bool()>& has_room) const;

  void signal(int number) const;

  // A child has ended: how, if it was a rank.
  std::optional<Exit> ended(pid_t pid, int status) const;

 private:
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace lockstep
