// Loops over the workers; see gang.h.
#include "trainer/launch/gang.h"

#include <algorithm>

namespace lockstep {

Worker& Gang::start(int rank, const std::vector<std::string>& command,
                    const Environment& environment) {
  return *workers_.emplace_back(std::make_unique<Worker>(rank, command, environment));
}

Worker* Gang::find(int rank) const {
  for (const auto& worker : workers_) {
    if (worker->rank() == rank) return worker.get();
  }
  return nullptr;
}

bool Gang::is_running() const {
  return std::any_of(workers_.begin(), workers_.end(),
                     [](const auto& worker) { return worker->is_running(); });
}

bool Gang::has_open_stream() const {
  return std::any_of(workers_.begin(), workers_.end(), [](const auto& worker) {
    const auto& [out, err] = worker->streams();
    return out.pipe.is_open() || err.pipe.is_open();
  });
}

void Gang::watch(std::vector<pollfd>& sources) const {
  for (const auto& worker : workers_) {
    for (const auto& stream : worker->streams()) {
      if (stream.pipe.is_open()) sources.push_back({stream.pipe.get(), POLLIN, 0});
    }
  }
}

void Gang::read(const OnLine& on_line, const std::function<bool()>& has_room) const {
  for (const auto& worker : workers_) {
    const auto of_rank = [&](int target, std::string_view prefix, std::string_view line) {
      on_line(worker->rank(), target, prefix, line);
    };
    for (auto& stream : worker->streams()) {
      if (stream.pipe.is_open() && has_room()) worker->read(stream, of_rank);
    }
  }
}

void Gang::signal(int number) const {
  for (const auto& worker : workers_) worker->signal(number);
}

std::optional<Exit> Gang::ended(pid_t pid, int status) const {
  for (const auto& worker : workers_) {
    if (worker->is_running() && worker->pid() == pid) return worker->ended(status);
  }
  return std::nullopt;
}

}  // namespace lockstep
