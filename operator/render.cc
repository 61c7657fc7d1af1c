// The command line of render: reads a manifest, prints objects and complaints.
#include "operator/render.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <iostream>
#include <sstream>

#include "operator/api/yaml_text.h"
#include "operator/flags.h"
#include "operator/rendering.h"
#include "trainer/contract.h"

namespace lockstep {
namespace {

using nlohmann::json;

struct Arguments {
  std::string file;
  std::string format = "yaml";
  std::string namespace_ = "default";
  std::string trainer_image = Flags().trainer_image;
  std::string launcher_image = Flags().launcher_image;
  std::vector<std::string> accelerators;
  std::vector<std::string> integrations{std::begin(kIntegrations), std::end(kIntegrations)};
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

// No cluster is asked what it serves.
Platform platform(const Arguments& arguments) {
  const auto has = [&](const char* name) {
    const auto& all = arguments.integrations;
    return std::find(all.begin(), all.end(), name) != all.end();
  };
  Platform platform;
  platform.trainer_image = arguments.trainer_image;
  platform.launcher_image = arguments.launcher_image;
  for (const std::string& name : arguments.accelerators) platform.accelerators.push_back(name);
  if (has("volcano")) platform.volcano = kVolcanoPodGroups;
  if (has("coscheduling")) platform.coscheduling = kCoschedulingPodGroups;
  if (has("native")) platform.native = kNativePodGroups[0];
  platform.has_kueue = has("kueue");
  return platform;
}

std::string text_of(const std::vector<json>& objects, const std::string& format) {
  if (format == "yaml") return to_yaml(objects);
  const json list = {{"apiVersion", "v1"}, {"kind", "List"}, {"items", objects}};
  return list.dump(2) + "\n";
}

// One line, whatever the names in it hold.
void complain(const std::string& sentence) {
  std::string line;
  for (const char c : sentence) line += c == '\n' ? std::string("\\n") : std::string(1, c);
  std::cerr << "lockstep-operator render: " << line << "\n";
}

Result<Rendering> render_file(const Arguments& arguments) {
  return render_manifest(TRY(read(arguments.file)), arguments.namespace_, platform(arguments));
}

// Returns the exit code.
int print(const Rendering& rendering, const Arguments& arguments) {
  for (const auto* lines : {&rendering.warnings, &rendering.faults}) {
    for (const std::string& line : *lines) complain(arguments.file + ": " + line);
  }
  if (!rendering.faults.empty()) return contract::kExitUsage;
  std::cout << text_of(rendering.objects, arguments.format) << std::flush;
  return std::cout ? contract::kExitFinished : contract::kExitStorage;
}

void add_flags(CLI::App& app, Arguments& arguments) {
  app.add_option("-f,--filename", arguments.file, "the manifest; - is standard input")->required();
  app.add_option("-o,--output", arguments.format, "yaml or json")
      ->check(CLI::IsMember({"yaml", "json"}))
      ->capture_default_str();
  app.add_option("-n,--namespace", arguments.namespace_, "of jobs that name none")
      ->capture_default_str();
  app.add_option("--trainer-image", arguments.trainer_image, "image of jobs that name none")
      ->capture_default_str();
  app.add_option("--launcher-image", arguments.launcher_image,
                 "image with lockstep-launch, for jobs that have it injected")
      ->capture_default_str();
  app.add_option("--accelerator", arguments.accelerators,
                 "one more resource that counts as an accelerator; may be repeated")
      ->allow_extra_args(false);
  app.add_option("--integration", arguments.integrations,
                 "volcano, coscheduling, native or kueue, where not all of them are installed; may "
                 "be repeated")
      ->allow_extra_args(false)
      ->delimiter(',')
      ->check(CLI::IsMember(arguments.integrations));
}

}  // namespace

int render(int argc, const char* const* argv) {
  Arguments arguments;
  CLI::App app("Prints the objects that the jobs of a manifest would get, without a cluster.",
               "lockstep-operator render");
  add_flags(app, arguments);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::cout << app.help();
    return contract::kExitFinished;
  } catch (const CLI::ParseError& error) {
    complain(error.what());
    return contract::kExitUsage;
  }
  const Result<Rendering> rendering = render_file(arguments);
  if (rendering) return print(*rendering, arguments);
  complain(arguments.file + ": " + rendering.error().message);
  return contract::kExitUsage;
}

}  // namespace lockstep
