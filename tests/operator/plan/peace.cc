// The walk from a scene to its end.
#include "tests/operator/plan/peace.h"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "operator/api/names.h"

namespace lockstep {
namespace {

using std::chrono::seconds;

constexpr int kLongestWalk = 200;  // rounds

// Why the operator would look at a job again.
struct Alarm {
  std::string seen;  // the job and its pods, at its last pass
  std::optional<Time> at;
};

class Walk {
 public:
  explicit Walk(Scene scene) : scene_(std::move(scene)) {
    for (const auto& [name, job] : scene_.world.jobs()) {
      if (job.is_suspended()) scene_.world.set_suspended(name, false);
      alarms_[name].at = scene_.world.now();  // it has just started
    }
  }

  const World& world() const { return scene_.world; }

  std::string key() const {
    std::string key = world().key() + scene_.operator_.key();
    for (const auto& [job, alarm] : alarms_) {
      key += alarm.seen == picture_of(job) ? "/" : "!";
      if (alarm.at) key += std::to_string((*alarm.at - world().now()) / seconds(1));
    }
    return key;
  }

  // False: nothing is left to happen.
  bool go_on() {
    if (operate()) return true;
    if (be_kind()) {
      scene_.world.wait(seconds(1));
      return true;
    }
    return wait_for_alarm();
  }

 private:
  std::string picture_of(const std::string& job) const {
    std::string picture = std::to_string(world().job(job).version());
    for (const Pod& pod : world().observed(job, world().pods()).pods) {
      picture += pod.meta.uid + pod.phase + (pod.meta.deletion_time ? "-" : "+");
    }
    return picture;
  }

  bool is_awake(const std::string& job) const {
    const Alarm& alarm = alarms_.at(job);
    return scene_.operator_.was_refused(job) || (alarm.at && *alarm.at <= world().now()) ||
           alarm.seen != picture_of(job);
  }

  bool operate() {
    std::vector<Pass> passes;
    for (auto& [job, alarm] : alarms_) {
      if (!is_awake(job)) continue;
      passes.push_back(scene_.operator_.think(world(), job, world().pods()));
      alarm = {.seen = picture_of(job), .at = passes.back().plan.look_again};
    }
    carry_out_side_by_side(passes);
    return !passes.empty();
  }

  void carry_out_side_by_side(const std::vector<Pass>& passes) {
    std::vector<bool> go_on(passes.size(), true);
    for (std::size_t write = 0; std::find(go_on.begin(), go_on.end(), true) != go_on.end();
         ++write) {
      for (std::size_t i = 0; i < passes.size(); ++i) {
        go_on[i] = go_on[i] && write < passes[i].writes() &&
                   scene_.operator_.carry_out(passes[i], write, write + 1, scene_.world);
      }
    }
  }

  bool be_kind() {
    bool did_something = false;
    const World::Pods pods = world().pods();
    for (const auto& [pod, object] : pods) {
      if (world().is_going(pod) || !world().is_ours(pod)) {
        scene_.world.vanish(pod);
      } else if (world().is_pending(pod)) {
        scene_.world.start(pod);
      } else if (!world().is_over(pod)) {
        scene_.world.finish(pod, 0);
      } else {
        continue;
      }
      did_something = true;
    }
    return did_something;
  }

  bool wait_for_alarm() {
    std::optional<Time> next;
    for (const auto& [job, alarm] : alarms_) {
      if (alarm.at) next = std::min(next.value_or(*alarm.at), *alarm.at);
    }
    if (next) scene_.world.wait(*next - world().now());
    return next.has_value();
  }

  Scene scene_;
  std::map<std::string, Alarm> alarms_;  // by job
};

}  // namespace

std::string Peace::fault_after(Scene scene) {
  Walk walk(std::move(scene));
  std::vector<std::string> path;
  bool is_over = false;
  while (!is_over && static_cast<int>(path.size()) < kLongestWalk) {
    path.push_back(walk.key());
    if (known_.contains(path.back())) break;
    ++rounds_;
    is_over = !walk.go_on();
    if (!walk.world().faults().empty()) return "then peace\n" + walk.world().faults().front();
  }
  const bool has_no_end = is_over ? !walk.world().is_finished() : !known_.contains(path.back());
  if (has_no_end) return "then peace, and no end\n" + walk.world().picture();
  known_.insert(path.begin(), path.end());
  return "";
}

World with_running_nodes(World world, const Decide& decide) {
  SimulatedOperator each_pass(decide);
  const auto all_run = [&] {
    return std::all_of(world.jobs().begin(), world.jobs().end(),
                       [](const auto& job) { return job.second.status().is(names::kRunning); });
  };
  while (!all_run()) {
    for (const auto& [job, stored] : world.jobs()) {
      each_pass.carry_out(each_pass.think(world, job, world.pods()), world);
    }
    const World::Pods pods = world.pods();
    for (const auto& [pod, object] : pods) {
      if (world.is_pending(pod)) world.start(pod);
    }
  }
  return world;
}

}  // namespace lockstep
