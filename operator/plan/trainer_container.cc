// The template's trainer container with the shorthands over it.
#include "operator/plan/trainer_container.h"

#include <algorithm>

#include "operator/api/fields.h"
#include "operator/api/names.h"

namespace lockstep {
namespace {

using nlohmann::json;

json from_template(const JobSpec& spec) {
  const json& pod = fields::member(spec.pod_template, "spec");
  for (const json& container : fields::list(pod, "containers")) {
    if (fields::text(container, "name") == names::kTrainerContainer) return container;
  }
  return {{"name", names::kTrainerContainer}};
}

void lay_over(json& container, const json& resources, const json& env) {
  if (!resources.empty()) container["resources"].merge_patch(resources);
  if (!env.empty()) container["env"] = merge_by_name(fields::list(container, "env"), env);
}

}  // namespace

json merge_by_name(json base, const json& over) {
  for (const json& entry : over) {
    const auto same = std::find_if(base.begin(), base.end(), [&](const json& each) {
      return fields::text(each, "name") == fields::text(entry, "name");
    });
    if (same == base.end()) {
      base.push_back(entry);
    } else {
      *same = entry;
    }
  }
  return base;
}

json trainer_container(const JobSpec& spec, const NodeGroup& group) {
  json container = from_template(spec);
  if (!spec.image.empty()) container["image"] = spec.image;
  if (!spec.command.empty()) container["command"] = spec.command;
  if (!spec.args.empty()) container["args"] = spec.args;
  lay_over(container, spec.resources, spec.env);
  lay_over(container, group.resources, group.env);
  return container;
}

bool uses_our_image(const JobSpec& spec) {
  return fields::text(trainer_container(spec, spec.node_groups.front()), "image").empty();
}

}  // namespace lockstep
