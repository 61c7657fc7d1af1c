// Keeps one scope of a store in step with the API server.
#pragma once

#include <functional>
#include <memory>
#include <random>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include "operator/base/clock.h"
#include "operator/kube/client.h"
#include "operator/runtime/sink.h"
#include "operator/runtime/watch_state.h"

namespace lockstep {

struct WatchTarget {
  Resource resource;
  std::string namespace_;      // empty: all
  std::string label_selector;  // empty: everything
};

// Lists and watches until destroyed, on a thread of its own. Never gives up: failures are logged,
// one line for each attempt, with the pause before the next. Client and clock outlive it.
class Watcher {
 public:
  using OnRestart = std::function<void(std::string_view resource, std::string_view reason)>;

  Watcher(Client& client, WatchTarget target, std::unique_ptr<Sink> sink, const Clock& clock,
          OnRestart on_restart = {}, Pacing pacing = {});

 private:
  void run(const std::stop_token& stop);
  WatchInput list(const WatchState& state, const std::stop_token& stop);
  WatchInput watch(WatchState& state, const std::stop_token& stop);
  Result<void> take(const WatchEvent& event);
  void report(const Error& error, const WatchState& next) const;
  double random() { return std::uniform_real_distribution<double>(0, 1)(generator_); }

  Client& client_;
  const WatchTarget target_;
  const std::unique_ptr<Sink> sink_;
  const Clock& clock_;
  const OnRestart on_restart_;
  const Pacing pacing_;
  std::mt19937_64 generator_{std::random_device{}()};
  std::jthread thread_;  // last: it ends before what it uses
};

}  // namespace lockstep
