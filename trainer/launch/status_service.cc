// FIFOs and pages of one node; see status_service.h.
#include "trainer/launch/status_service.h"

#include <algorithm>
#include <functional>
#include <set>
#include <system_error>
#include <utility>

#include "trainer/contract.h"
#include "trainer/launch/process_tree.h"

namespace lockstep {

StatusService::StatusService(const StatusSpec& spec, const std::vector<int>& ranks, Say say)
    : spec_(spec), say_(std::move(say)) {
  for (const int rank : ranks) sources_.push_back({.rank = rank, .path = {}, .pipe = {}});
  try {
    make_pipes();
  } catch (const std::system_error& error) {
    say_(std::string("ranks cannot report their progress: ") + error.what());
  }
  if (spec_.port != 0) listen();
}

void StatusService::make_pipes() {
  directory_.emplace();
  for (Source& source : sources_) {
    const auto path = directory_->path() / ("rank-" + std::to_string(source.rank));
    source.pipe.emplace(path);
    source.path = path;
  }
}

void StatusService::listen() {
  try {
    server_.emplace(spec_.port, spec_.is_public);
  } catch (const std::system_error& error) {
    say_("no progress page on port " + std::to_string(spec_.port) + ": " + error.code().message());
  }
}

void StatusService::equip(int rank, Environment& environment) const {
  environment.erase(contract::kStatus);
  for (const Source& source : sources_) {
    if (source.rank == rank && source.pipe) environment[contract::kStatus] = source.path;
  }
}

void StatusService::rank_started(int rank, pid_t group) {
  for (Source& source : sources_) {
    if (source.rank == rank) source.group = group;
  }
}

void StatusService::rank_ended(int rank) {
  for (Source& source : sources_) {
    if (source.rank == rank) source.ended_at = std::chrono::steady_clock::now();
  }
}

void StatusService::watch(std::vector<pollfd>& sources) const {
  for (const Source& source : sources_) {
    if (source.pipe) sources.push_back({source.pipe->fd(), POLLIN, 0});
  }
  if (server_) server_->watch(sources);
}

StatusService::Time StatusService::deadline() const {
  return server_ ? server_->deadline() : Time::max();
}

void StatusService::serve(Time now) {
  for (Source& source : sources_) {
    if (!source.pipe) continue;
    source.pipe->read(now);
    tell_first_fault(source);
  }
  if (server_) server_->serve([&](std::string_view path) { return page(path, now); }, now);
}

void StatusService::tell_first_fault(Source& source) {
  if (source.is_fault_told || source.pipe->first_fault().empty()) return;
  source.is_fault_told = true;
  say_("rank " + std::to_string(source.rank) +
       " wrote a line to LOCKSTEP_STATUS that is dropped: " + source.pipe->first_fault() +
       "; more of them are only counted");
}

std::optional<Page> StatusService::page(std::string_view path, Time now) {
  if (path == "/healthz") return Page{"text/plain", "ok\n"};
  if (path == "/progress") {
    NodeStatus node = node_status(now);
    find_stopped(node);
    return Page{"application/json", progress_page(node)};
  }
  if (path == "/metrics") return Page{"text/plain; version=0.0.4", metrics_page(node_status(now))};
  return std::nullopt;
}

NodeStatus StatusService::node_status(Time now) {
  NodeStatus node{spec_.job, spec_.uid, spec_.attempt, spec_.node_rank, {}};
  for (Source& source : sources_) {
    RankStatus rank{.rank = source.rank,
                    .is_running = !source.ended_at,
                    .is_stopped = false,
                    .report = {},
                    .silent_seconds = {},
                    .lines = {}};
    if (source.pipe) {
      source.pipe->settle();
      rank.report = source.pipe->report();
      rank.lines = source.pipe->counts();
      if (const auto last = source.last_sign()) {
        rank.silent_seconds = std::chrono::duration<double>(now - *last).count();
      }
    }
    node.ranks.push_back(std::move(rank));
  }
  return node;
}

void StatusService::find_stopped(NodeStatus& node) const {
  const std::set<pid_t> stopped = stopped_groups();
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    node.ranks[i].is_stopped = !sources_[i].ended_at && stopped.contains(sources_[i].group);
  }
}

std::optional<StatusService::Time> StatusService::Source::last_sign() const {
  const auto heard = pipe ? pipe->last_accepted() : std::nullopt;
  return heard && ended_at ? std::max(*heard, *ended_at) : heard;
}

bool StatusService::Source::is_advancing() const {
  return !ended_at && last_sign() && pipe->report().phase != "done";
}

std::optional<StatusService::Time> StatusService::last_progress() const {
  if (std::none_of(sources_.begin(), sources_.end(), std::mem_fn(&Source::is_advancing))) return {};
  std::optional<Time> latest;
  for (const Source& source : sources_) {
    if (const auto sign = source.last_sign()) latest = std::max(latest.value_or(*sign), *sign);
  }
  return latest;
}

}  // namespace lockstep
