// Reads a manifest and prints the objects of its jobs' first attempt, through the same pure code
// that the operator runs.
#include "operator/render.h"

#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>
#include <sstream>

#include "operator/api/fields.h"
#include "operator/api/manifest.h"
#include "operator/api/strict.h"
#include "operator/api/yaml_text.h"
#include "operator/flags.h"
#include "operator/plan/companions.h"
#include "operator/plan/desired_pod.h"
#include "operator/plan/ownership.h"
#include "trainer/contract.h"

namespace lockstep {
namespace {

using nlohmann::json;

constexpr char kNoUid[] = "00000000-0000-0000-0000-000000000000";

struct Arguments {
  std::string file;
  std::string format = "yaml";
  std::string namespace_ = "default";
  std::string trainer_image = Flags().trainer_image;
  std::vector<std::string> accelerators;
};

Result<std::string> read(const std::string& file) {
  std::ostringstream text;
  if (file == "-") {
    text << std::cin.rdbuf();
  } else {
    std::ifstream in(file);
    if (!in) return failure(Kind::kInvalid, "cannot be read");
    text << in.rdbuf();
  }
  return text.str();
}

// What every cluster could offer, since none is asked.
Platform platform(const Arguments& arguments) {
  Platform platform;
  platform.trainer_image = arguments.trainer_image;
  for (const std::string& name : arguments.accelerators) platform.accelerators.push_back(name);
  platform.volcano = kVolcanoPodGroups;
  platform.coscheduling = kCoschedulingPodGroups;
  platform.native = kNativePodGroups[0];
  return platform;
}

// The API server drops a null, such as `nodeSelector:` with nothing behind it, but not in config,
// whose fields it does not know.
void drop_nulls(json& value) {
  if (!value.is_structured()) return;
  for (auto entry = value.begin(); entry != value.end();) {
    if (value.is_object() && entry->is_null()) {
      entry = value.erase(entry);
    } else {
      if (!value.is_object() || entry.key() != "config") drop_nulls(*entry);
      ++entry;
    }
  }
}

// As the API server and the operator's first look would complete it.
Result<TrainingJob> first_attempt(json object, const std::string& default_namespace) {
  drop_nulls(object);
  const json& spec = fields::member(object, "spec");
  if (!spec.is_object()) return strict::refuse("spec", spec, "an object");
  json& metadata = object["metadata"];
  if (!metadata.is_object()) metadata = json::object();
  if (fields::text(metadata, "name").empty()) {
    return failure(Kind::kInvalid,
                   "metadata.name: write a name, in quotes if it looks like a number or a truth "
                   "value");
  }
  if (fields::text(metadata, "namespace").empty()) metadata["namespace"] = default_namespace;
  if (!metadata.contains("uid")) metadata["uid"] = kNoUid;
  object["status"] = {{"attempt", 1}};
  const TrainingJob job = TRY(parse_training_job(object));
  if (!job.invalid.empty()) return failure(Kind::kInvalid, job.invalid);
  return job;
}

std::vector<json> objects_of(const TrainingJob& job, const Platform& platform) {
  std::vector<json> objects;
  for (const Create& companion : desired_companions(job, platform)) {
    objects.push_back(companion.body);
  }
  for (int rank = 0; rank < job.spec.num_nodes; ++rank) {
    objects.push_back(desired_pod(job, rank, platform));
  }
  return objects;
}

bool is_training_job(const json& object) {
  return fields::text(object, "apiVersion") == names::kApiVersion &&
         fields::text(object, "kind") == names::kTrainingJob;
}

// Also those in a List, as kubectl takes them.
void collect_jobs(const json& object, std::vector<json>& jobs) {
  if (is_training_job(object)) jobs.push_back(object);
  if (fields::text(object, "kind") != "List") return;
  for (const json& item : fields::list(object, "items")) collect_jobs(item, jobs);
}

Result<std::vector<json>> objects_in(const Arguments& arguments) {
  std::vector<json> jobs;
  for (const json& document : TRY(parse_manifest(TRY(read(arguments.file))))) {
    collect_jobs(document, jobs);
  }
  if (jobs.empty()) {
    return failure(Kind::kInvalid, std::string("there is no ") + names::kTrainingJob + " of " +
                                       names::kApiVersion + " in it");
  }
  std::vector<json> objects;
  for (const json& source : jobs) {
    const TrainingJob job = TRY(first_attempt(source, arguments.namespace_));
    for (json& object : objects_of(job, platform(arguments))) objects.push_back(std::move(object));
  }
  return objects;
}

std::string printed(const std::vector<json>& objects, const std::string& format) {
  if (format == "yaml") return to_yaml(objects);
  const json list = {{"apiVersion", "v1"}, {"kind", "List"}, {"items", objects}};
  return list.dump(2) + "\n";
}

}  // namespace

int render(int argc, const char* const* argv) {
  Arguments arguments;
  CLI::App app("Prints the objects that the jobs of a manifest would get, without a cluster.",
               "lockstep-operator render");
  app.add_option("-f,--filename", arguments.file, "the manifest; - is standard input")->required();
  app.add_option("-o,--output", arguments.format, "yaml or json")
      ->check(CLI::IsMember({"yaml", "json"}))
      ->capture_default_str();
  app.add_option("-n,--namespace", arguments.namespace_, "of jobs that name none")
      ->capture_default_str();
  app.add_option("--trainer-image", arguments.trainer_image, "image of jobs that name none")
      ->capture_default_str();
  app.add_option("--accelerator", arguments.accelerators,
                 "one more resource that counts as an accelerator; may be repeated")
      ->allow_extra_args(false);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::cout << app.help();
    return contract::kExitFinished;
  } catch (const CLI::ParseError& error) {
    std::cerr << "lockstep-operator render: " << error.what() << "\n";
    return contract::kExitUsage;
  }
  const auto objects = objects_in(arguments);
  if (!objects) {
    std::cerr << "lockstep-operator render: " << arguments.file << ": " << objects.error().message
              << "\n";
    return contract::kExitUsage;
  }
  std::cout << printed(*objects, arguments.format) << std::flush;
  return std::cout ? contract::kExitFinished : contract::kExitStorage;
}

}  // namespace lockstep
