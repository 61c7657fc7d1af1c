// Flags over CLI11.
#include "operator/flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "operator/base/nearest.h"

namespace lockstep {
namespace {

std::string environment_name(std::string flag) {
  std::transform(flag.begin(), flag.end(), flag.begin(),
                 [](unsigned char c) { return c == '-' ? '_' : std::toupper(c); });
  return "LOCKSTEP_" + flag;
}

template <typename Value>
CLI::Option* add_flag(CLI::App& app, const std::string& name, Value& value,
                      const std::string& help) {
  return app.add_option("--" + name, value, help)
      ->envname(environment_name(name))
      ->capture_default_str();
}

std::string suggested_flag(const CLI::App& app, const std::string& unknown) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    names.push_back("--" + option->get_lnames().at(0));
  }
  return suggestion(unknown, names);
}

Result<void> refuse_unknown(const CLI::App& app) {
  const std::vector<std::string> unknown = app.remaining();
  if (unknown.empty()) return {};
  const std::string name = unknown.front().substr(0, unknown.front().find('='));
  if (!name.starts_with('-')) {
    return failure(Kind::kInvalid, "unexpected argument " + name + ": every value needs a flag");
  }
  return failure(Kind::kInvalid, "there is no flag " + name + ": " + suggested_flag(app, name));
}

}  // namespace

Result<std::variant<Flags, Notice>> parse_flags(int argc, const char* const* argv) {
  Flags flags;
  std::string level = "info";
  CLI::App app("Runs TrainingJobs on Kubernetes.", "lockstep-operator");
  app.allow_extras();
  app.set_version_flag("--version", "lockstep-operator " LOCKSTEP_VERSION);
  add_flag(app, "kubeconfig", flags.kubeconfig,
           "kubeconfig file; none: KUBECONFIG, then the pod's");
  add_flag(app, "context", flags.context, "context of the kubeconfig; none: its current one");
  add_flag(app, "namespace", flags.namespaces, "watch this namespace only; may be repeated")
      ->allow_extra_args(false)
      ->delimiter(',');
  add_flag(app, "trainer-image", flags.trainer_image, "image of jobs that name none");
  add_flag(app, "launcher-image", flags.launcher_image,
           "image with lockstep-launch, for jobs that have it injected");
  add_flag(app, "accelerator", flags.accelerators,
           "one more resource that counts as an accelerator; may be repeated")
      ->allow_extra_args(false)
      ->delimiter(',');
  add_flag(app, "integration", flags.integrations,
           "volcano, coscheduling or native (PodGroups), or kueue, where it is installed; may be "
           "repeated")
      ->allow_extra_args(false)
      ->delimiter(',')
      ->check(CLI::IsMember(
          std::vector<std::string>(std::begin(kIntegrations), std::end(kIntegrations))));
  add_flag(app, "workers", flags.workers, "jobs looked at at once")->check(CLI::Range(1, 64));
  add_flag(app, "progress-interval", flags.progress_interval,
           "seconds between two looks at the progress of a running job; 0: none")
      ->check(CLI::Range(0, 3600));
  add_flag(app, "health-address", flags.health_address, "where /healthz and /readyz listen");
  add_flag(app, "metrics-address", flags.metrics_address,
           "where /metrics listens; none: the health address");
  add_flag(app, "log-level", level, "debug, info, warning or error");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return Notice{app.help()};
  } catch (const CLI::CallForVersion& version) {
    return Notice{std::string(version.what()) + "\n"};
  } catch (const CLI::ParseError& error) {
    return failure(Kind::kInvalid, error.what());
  }
  TRY(refuse_unknown(app));
  const std::optional<log::Level> parsed = log::parse_level(level);
  if (!parsed) {
    return failure(Kind::kInvalid, "--log-level is debug, info, warning or error, not " + level);
  }
  flags.log_level = *parsed;
  return flags;
}

}  // namespace lockstep
