// The search.
#include "tests/operator/plan/explorer.h"

#include <deque>
#include <unordered_set>

#include "operator/api/names.h"

namespace lockstep {
namespace {

using std::chrono::seconds;

constexpr int kPeacefulRounds = 40;
constexpr int kPeaceEvery = 4;  // of the states: it takes most of the time

// Whether the operator did anything in it.
bool pass(World& world, const Decide& decide) {
  const Plan plan = decide(world.observed(world.pods()), world.now());
  if (plan.status) world.write(*plan.status, world.version());
  for (const Action& action : plan.actions) world.write(action);
  return plan.status || !plan.actions.empty();
}

struct State {
  World world;
  World::Pods before;  // the pods before the last event: what a view that lags still shows
  std::string history;
  int depth = 0;
  bool was_recreated = false;
};

class Explorer {
 public:
  Explorer(int depth, const Decide& decide) : depth_(depth), decide_(decide) {}

  Exploration run(World world) {
    add({.world = world, .before = world.pods(), .history = "", .depth = 0});
    while (!states_.empty() && result_.fault.empty()) {
      const State state = std::move(states_.front());
      states_.pop_front();
      if (state.depth < depth_) {
        add_passes(state, "operator", state.world.pods());
        add_passes(state, "operator with a stale view", state.before);
        add_events(state);
      }
      if (++explored_ % kPeaceEvery == 0) leave_in_peace(state);
    }
    return result_;
  }

 private:
  void add(State next) {
    if (!next.world.faults().empty()) {
      if (result_.fault.empty()) result_.fault = next.history + "\n" + next.world.faults().front();
      return;
    }
    if (!known_.insert(key(next)).second) return;
    ++result_.states;
    if (next.world.status().is_finished()) ++result_.ends;
    states_.push_back(std::move(next));
  }

  static std::string key(const State& state) {
    std::string key = state.world.key();
    for (const auto& [name, pod] : state.before) {
      key += name + pod.at("status").dump() + pod.at("metadata").value("deletionTimestamp", "");
    }
    return key;
  }

  template <typename Change>
  void after(const State& state, const std::string& event, const Change& change) {
    State next = state;
    next.history += "\n" + event;
    ++next.depth;
    next.before = state.world.pods();
    change(next.world);
    add(std::move(next));
  }

  // A pass whole, and one for each write before which the operator dies.
  void add_passes(const State& state, const std::string& who, const World::Pods& view) {
    const Plan plan = decide_(state.world.observed(view), state.world.now());
    if (!plan.status && plan.actions.empty()) return;
    for (std::size_t writes = plan.status ? 0 : 1; writes <= plan.actions.size(); ++writes) {
      after(state, who + ", " + std::to_string(writes) + " actions", [&](World& world) {
        if (plan.status) world.write(*plan.status, world.version());
        for (std::size_t i = 0; i < writes; ++i) world.write(plan.actions[i]);
      });
    }
  }

  void add_events(const State& state) {
    for (const auto& [pod, object] : state.world.pods()) add_events_of(state, pod);
    after(state, "20 s pass", [](World& world) { world.wait(seconds(20)); });
    after(state, "suspend or resume",
          [](World& world) { world.set_suspended(!world.is_suspended()); });
    if (state.was_recreated || state.world.pods().empty()) return;
    State next = state;
    next.was_recreated = true;
    after(next, "deleted and made again", [](World& world) { world.recreate_job(); });
  }

  void add_events_of(const State& state, const std::string& pod) {
    const auto add_event = [&](const std::string& what, const auto& change) {
      after(state, pod + " " + what, change);
    };
    add_event("vanishes", [&](World& world) { world.vanish(pod); });
    if (state.world.is_pending(pod)) add_event("starts", [&](World& world) { world.start(pod); });
    if (state.world.is_going(pod) || state.world.is_over(pod)) return;
    add_event("is evicted", [&](World& world) { world.evict(pod); });
    for (const int code : {0, 1, 75}) {
      if (state.world.is_pending(pod)) break;
      add_event("exits with " + std::to_string(code),
                [&, code](World& world) { world.finish(pod, code); });
    }
  }

  // Kubelets start and finish what there is, and nothing else happens: the job has to end, and
  // then to stay as it is.
  void leave_in_peace(const State& state) {
    World world = state.world;
    if (world.is_suspended()) world.set_suspended(false);
    int idle_rounds = 0;
    for (int round = 0; round < kPeacefulRounds && idle_rounds < 2; ++round) {
      idle_rounds = !pass(world, decide_) && world.status().is_finished() ? idle_rounds + 1 : 0;
      be_kind(world);
    }
    if (!result_.fault.empty()) return;
    if (!world.faults().empty()) {
      result_.fault = state.history + "\nthen peace\n" + world.faults().front();
    } else if (idle_rounds < 2) {
      result_.fault = state.history + "\nthen peace, and no end\n" + world.picture();
    }
  }

  static void be_kind(World& world) {
    world.wait(seconds(30));
    const World::Pods pods = world.pods();
    for (const auto& [pod, object] : pods) {
      if (world.is_going(pod) || !world.is_ours(pod)) {
        world.vanish(pod);
      } else if (world.is_pending(pod)) {
        world.start(pod);
      } else if (!world.is_over(pod)) {
        world.finish(pod, 0);
      }
    }
  }

  const int depth_;
  int explored_ = 0;
  const Decide& decide_;
  std::deque<State> states_;
  std::unordered_set<std::string> known_;
  Exploration result_;
};

}  // namespace

Exploration explore(World start, int depth, const Decide& decide) {
  return Explorer(depth, decide).run(std::move(start));
}

World with_running_nodes(World world, const Decide& decide) {
  while (!world.status().is(names::kRunning)) {
    pass(world, decide);
    const World::Pods pods = world.pods();
    for (const auto& [pod, object] : pods) {
      if (world.is_pending(pod)) world.start(pod);
    }
  }
  return world;
}

}  // namespace lockstep
