// The search.
#include "tests/operator/plan/explorer.h"

#include <deque>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tests/operator/plan/peace.h"

namespace lockstep {
namespace {

struct State {
  Scene scene;
  World::Pods before;  // the pods before the last event: what a view that lags still shows
  std::string history;
  int depth = 0;
  unsigned happened = kOften;
};

class Explorer {
 public:
  explicit Explorer(int depth) : depth_(depth) {}

  Exploration run(Scene start, unsigned happened) {
    World::Pods pods = start.world.pods();
    add({std::move(start), std::move(pods), "", 0, happened});
    while (!states_.empty() && result_.fault.empty()) {
      const State state = std::move(states_.front());
      states_.pop_front();
      if (state.depth < depth_) {
        for (const auto& [job, stored] : state.scene.world.jobs()) {
          add_passes(state, job, "the operator sees to " + job, state.scene.world.pods());
          add_passes(state, job, "the operator sees to " + job + " with a stale view",
                     state.before);
        }
        for (const Happening& event : happenings_in(state.scene.world, state.happened)) {
          Scene scene = state.scene;
          event.happen(scene);
          add_after(state, event.name, std::move(scene), event.once);
        }
      }
      leave_in_peace(state);
    }
    result_.rounds = peace_.rounds();
    return result_;
  }

 private:
  void add(State next) {
    const World& world = next.scene.world;
    if (!world.faults().empty()) {
      if (result_.fault.empty()) result_.fault = next.history + "\n" + world.faults().front();
      return;
    }
    if (!known_.insert(key(next)).second) return;
    ++result_.states;
    if (world.is_finished()) ++result_.ends;
    states_.push_back(std::move(next));
  }

  static std::string key(const State& state) {
    std::string key = state.scene.world.key() + state.scene.operator_.key();
    for (const auto& [name, pod] : state.before) {
      key += name + pod.at("status").dump() + pod.at("metadata").value("deletionTimestamp", "");
    }
    return key + std::to_string(state.happened);
  }

  void add_after(const State& state, const std::string& event, Scene scene, Once once = kOften) {
    add({std::move(scene), state.scene.world.pods(), state.history + "\n" + event, state.depth + 1,
         state.happened | once});
  }

  // A pass whole; one for each write before which the operator dies; one for each create that the
  // API server refuses; and one for each event that may come between two of its writes.
  void add_passes(const State& state, const std::string& job, const std::string& what,
                  const World::Pods& view) {
    Scene halfway = state.scene;
    const Pass pass = halfway.operator_.think(halfway.world, job, view);
    if (!pass.seen.refused.empty()) add_after(state, what + ", and dies", halfway);
    for (std::size_t done = 0; done < pass.writes(); ++done) {
      add_refusals(state, what, halfway, pass, done);
      add_interruptions(state, what, halfway, pass, done);
      const bool goes_on = halfway.operator_.carry_out(pass, done, done + 1, halfway.world);
      add_after(state, what + ", " + std::to_string(done + 1) + " writes", halfway);
      if (!goes_on) break;
    }
  }

  void add_refusals(const State& state, const std::string& what, const Scene& halfway,
                    const Pass& pass, std::size_t done) {
    const auto* wanted = pass.action(done) ? std::get_if<Create>(pass.action(done)) : nullptr;
    if (!wanted) return;
    const std::string object = described(wanted->resource, wanted->name);
    Scene scene = halfway;
    scene.operator_.be_refused(pass, {0, object, Refusal::kForNow, "exceeded quota"});
    add_after(state, what + ", and is refused " + object, std::move(scene));
    scene = halfway;
    scene.world.refuse_for_good(pass.job());
    scene.operator_.be_refused(pass, {0, object, Refusal::kForGood, "invalid"});
    add_after(state, what + ", and is refused " + object + " for good", std::move(scene));
  }

  void add_interruptions(const State& state, const std::string& what, const Scene& halfway,
                         const Pass& pass, std::size_t done) {
    std::vector<Happening> events = happenings_in(halfway.world, state.happened);
    for (Happening& event : passes_beside(halfway.world, pass.job())) {
      events.push_back(std::move(event));
    }
    for (const Happening& event : events) {
      Scene scene = halfway;
      event.happen(scene);
      scene.operator_.carry_out(pass, done, pass.writes(), scene.world);
      add_after(state, what + ", and in the midst of it " + event.name, std::move(scene),
                event.once);
    }
  }

  void leave_in_peace(const State& state) {
    const std::string fault = peace_.fault_after(state.scene);
    if (!fault.empty() && result_.fault.empty()) result_.fault = state.history + "\n" + fault;
  }

  const int depth_;
  Peace peace_;
  std::deque<State> states_;
  std::unordered_set<std::string> known_;
  Exploration result_;
};

}  // namespace

Exploration explore(Scene start, int depth, unsigned happened) {
  return Explorer(depth).run(std::move(start), happened);
}

}  // namespace lockstep
