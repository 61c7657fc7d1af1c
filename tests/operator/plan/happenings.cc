// The list, each with the words that a history is told in.
#include "tests/operator/plan/happenings.h"

namespace lockstep {
namespace {

std::vector<Happening> happenings_of_pod(const World& world, const std::string& pod) {
  std::vector<Happening> all;
  const auto add = [&](const std::string& what, auto happen) {
    all.push_back({pod + " " + what, [=](Scene& scene) { happen(scene.world, pod); }});
  };
  add("vanishes", [](World& each, const std::string& name) { each.vanish(name); });
  if (!world.is_ours(pod)) return all;
  const bool is_pending = world.is_pending(pod);
  if (is_pending) add("starts", [](World& each, const std::string& name) { each.start(name); });
  if (world.is_going(pod) || world.is_over(pod)) return all;
  add("is evicted", [](World& each, const std::string& name) { each.evict(name); });
  if (is_pending) return all;
  for (const int code : {0, 1, 75}) {
    add("exits with " + std::to_string(code),
        [code](World& each, const std::string& name) { each.finish(name, code); });
  }
  return all;
}

std::vector<Happening> happenings_of_job(const World& world, const StoredJob& job) {
  const std::string& name = job.name();
  const std::string last_pod = name + "-" + std::to_string(job.job().spec.num_nodes - 1);
  std::vector<Happening> all{
      {name + " is suspended or resumed",
       [=](Scene& each) { each.world.set_suspended(name, !each.world.job(name).is_suspended()); }}};
  if (!world.pods().empty()) {
    all.push_back({name + " is deleted and made again",
                   [=](Scene& each) { each.world.recreate_job(name); }, kJobMadeAgain});
  }
  if (!world.pods().contains(last_pod)) {
    all.push_back({"a stranger takes the name " + last_pod,
                   [=](Scene& each) { each.world.take_name(last_pod); }, kNameTaken});
  }
  return all;
}

}  // namespace

std::vector<Happening> happenings_in(const World& world, unsigned happened) {
  std::vector<Happening> all{
      {"20 s pass", [](Scene& each) { each.world.wait(std::chrono::seconds(20)); }}};
  const auto add = [&](std::vector<Happening> more) {
    for (Happening& each : more) {
      if ((each.once & happened) == 0) all.push_back(std::move(each));
    }
  };
  for (const auto& [name, job] : world.jobs()) add(happenings_of_job(world, job));
  for (const auto& [pod, object] : world.pods()) add(happenings_of_pod(world, pod));
  return all;
}

std::vector<Happening> passes_beside(const World& world, const std::string& job) {
  std::vector<Happening> all;
  for (const auto& [name, stored] : world.jobs()) {
    if (name == job) continue;
    all.push_back({"the operator sees to " + name, [name = name](Scene& each) {
                     const Pass pass = each.operator_.think(each.world, name, each.world.pods());
                     each.operator_.carry_out(pass, each.world);
                   }});
  }
  return all;
}

}  // namespace lockstep
