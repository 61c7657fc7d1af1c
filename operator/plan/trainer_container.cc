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

json trainer_container(const JobSpec& spec) {
  json container = from_template(spec);
  if (!spec.image.empty()) container["image"] = spec.image;
  if (!spec.command.empty()) container["command"] = spec.command;
  if (!spec.args.empty()) container["args"] = spec.args;
  if (!spec.resources.empty()) container["resources"].merge_patch(spec.resources);
  if (!spec.env.empty()) {
    container["env"] = merge_by_name(fields::list(container, "env"), spec.env);
  }
  return container;
}

bool uses_our_image(const JobSpec& spec) {
  return fields::text(trainer_container(spec), "image").empty();
}

}  // namespace lockstep
