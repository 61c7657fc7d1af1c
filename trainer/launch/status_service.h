// Hears what the ranks of this node report and tells it to whoever asks; docs/progress.md.
#pragma once

#include <poll.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "trainer/launch/environment.h"
#include "trainer/launch/http_server.h"
#include "trainer/launch/node_status.h"
#include "trainer/launch/private_directory.h"
#include "trainer/launch/status_pipe.h"

namespace lockstep {

struct StatusSpec {
  std::string job;  // empty outside the operator
  std::string uid;  // likewise
  int attempt = 1;
  int node_rank = 0;
  int port = 0;            // of the pages; 0: none
  bool is_public = false;  // to other machines too
};

// Part of the launcher's poll loop. What cannot be had, a FIFO or the port, is said and done
// without: training goes on.
class StatusService {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Say = std::function<void(const std::string& sentence)>;

  StatusService(const StatusSpec& spec, const std::vector<int>& ranks, Say say);

  // LOCKSTEP_STATUS of the rank; without a FIFO it is taken out.
  void equip(int rank, Environment& environment) const;

  void rank_started(int rank, pid_t group);
  void rank_ended(int rank);

  void watch(std::vector<pollfd>& sources) const;
  Time deadline() const;
  void serve(Time now);

  // What silent_seconds() counts from.
  std::optional<Time> last_progress() const;

  NodeStatus node_status(Time now);

  // Marks the ranks that are stopped.
  void find_stopped(NodeStatus& node) const;

 private:
  struct Source {
    int rank;
    std::filesystem::path path;
    std::optional<StatusPipe> pipe;
    pid_t group = 0;  // its process group
    std::optional<Time> ended_at{};
    bool is_fault_told = false;

    // Of its last report or its end; none before the first report.
    std::optional<Time> last_sign() const;
    bool is_advancing() const;
  };

  void make_pipes();
  void listen();
  void tell_first_fault(Source& source);
  std::optional<Page> page(std::string_view path, Time now);

  StatusSpec spec_;
  Say say_;
  std::optional<PrivateDirectory> directory_;
  std::vector<Source> sources_;
  std::optional<HttpServer> server_;
};

}  // namespace lockstep
