// The search.
#include "tests/operator/plan/explorer.h"

#include <deque>
#include <functional>
#include <unordered_set>
#include <vector>

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

struct Event {
  std::string name;
  std::function<void(World&)> happen;
};

const std::string kMadeAgain = "the job is deleted and made again";

std::vector<Event> events_of_pod(const World& world, const std::string& pod) {
  const auto named = [&](const std::string& what, auto happen) {
    return Event{pod + " " + what, [happen, pod](World& each) { happen(each, pod); }};
  };
  std::vector<Event> events{
      named("vanishes", [](World& each, const std::string& name) { each.vanish(name); })};
  if (world.is_pending(pod)) {
    events.push_back(
        named("starts", [](World& each, const std::string& name) { each.start(name); }));
  }
  if (world.is_going(pod) || world.is_over(pod)) return events;
  events.push_back(
      named("is evicted", [](World& each, const std::string& name) { each.evict(name); }));
  for (const int code : {0, 1, 75}) {
    if (world.is_pending(pod)) break;
    events.push_back(
        named("exits with " + std::to_string(code),
              [code](World& each, const std::string& name) { each.finish(name, code); }));
  }
  return events;
}

std::vector<Event> events_in(const World& world, bool may_be_made_again) {
  std::vector<Event> events{
      {"20 s pass", [](World& each) { each.wait(seconds(20)); }},
      {"suspend or resume", [](World& each) { each.set_suspended(!each.is_suspended()); }}};
  if (may_be_made_again && !world.pods().empty()) {
    events.push_back({kMadeAgain, [](World& each) { each.recreate_job(); }});
  }
  for (const auto& [pod, object] : world.pods()) {
    for (Event& event : events_of_pod(world, pod)) events.push_back(std::move(event));
  }
  return events;
}

class Explorer {
 public:
  Explorer(int depth, const Decide& decide, bool is_fenced)
      : depth_(depth), decide_(decide), is_fenced_(is_fenced) {}

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

  void add_after(const State& state, const std::string& event, World world) {
    State next = state;
    next.history += "\n" + event;
    ++next.depth;
    next.before = state.world.pods();
    next.was_recreated |= event.starts_with(kMadeAgain);
    next.world = std::move(world);
    add(std::move(next));
  }

  void add_events(const State& state) {
    for (const Event& event : events_in(state.world, !state.was_recreated)) {
      World world = state.world;
      event.happen(world);
      add_after(state, event.name, std::move(world));
    }
  }

  // A pass whole; one for each write before which the operator dies; and one for each event that
  // may come between two of its writes.
  void add_passes(const State& state, const std::string& who, const World::Pods& view) {
    const Observed seen = state.world.observed(view);
    const Plan plan = decide_(seen, state.world.now());
    const std::size_t writes = (plan.status ? 1 : 0) + plan.actions.size();
    for (std::size_t done = 1; done <= writes; ++done) {
      World world = state.world;
      carry_out(seen, plan, 0, done, world);
      add_after(state, who + ", " + std::to_string(done) + " writes", std::move(world));
    }
    for (std::size_t done = 0; done < writes; ++done) {
      World halfway = state.world;
      carry_out(seen, plan, 0, done, halfway);
      for (const Event& event : events_in(halfway, !state.was_recreated)) {
        World world = halfway;
        event.happen(world);
        carry_out(seen, plan, done, writes, world);
        add_after(state, event.name + ", in mid-pass", std::move(world));
      }
    }
  }

  // The writes from `first` up to `last` of a plan, as the reconciler does them.
  void carry_out(const Observed& seen, const Plan& plan, std::size_t first, std::size_t last,
                 World& world) const {
    const std::size_t statuses = plan.status ? 1 : 0;
    for (std::size_t i = first; i < last; ++i) {
      if (is_fenced_ && !world.is_current(seen.job)) return;
      if (i < statuses) {
        world.write(*plan.status, world.version());
      } else {
        world.write(plan.actions[i - statuses]);
      }
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
  const bool is_fenced_;
  std::deque<State> states_;
  std::unordered_set<std::string> known_;
  Exploration result_;
};

}  // namespace

Exploration explore(World start, int depth, const Decide& decide, bool is_fenced) {
  return Explorer(depth, decide, is_fenced).run(std::move(start));
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
