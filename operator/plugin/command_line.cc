// Commands and flags over CLI11.
#include "operator/plugin/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "operator/api/node_group.h"
#include "operator/base/nearest.h"

namespace lockstep {
namespace {

constexpr char kComplete[] = "__complete";  // kubectl's own word for it
constexpr int kLongestWait = 86400;

// Flags of kubectl itself that are handed on as they are.
struct Connection {
  const char* flag;
  const char* help;
};
constexpr Connection kConnection[] = {
    {"-n,--namespace", "namespace of the job; none: the context's"},
    {"--context", "context of the kubeconfig"},
    {"--kubeconfig", "kubeconfig file"},
    {"--cluster", "cluster of the kubeconfig"},
    {"--user", "user of the kubeconfig"},
    {"--as", "user to impersonate"},
    {"--request-timeout", "how long kubectl waits for an answer, such as 10s"}};

struct Described {
  const char* name;
  const char* help;
  bool takes_job;
};
constexpr Described kCommands[] = {
    {"list", "Shows the jobs of a namespace, or of all with -A.", false},
    {"describe", "Shows all that is known of a job.", true},
    {"logs", "Prints what the nodes of a job write, all at once.", true},
    {"top", "Shows what each job does right now, every two seconds.", false},
    {"suspend", "Ends the nodes of a job; its checkpoints stay.", true},
    {"resume", "Starts a suspended job.", true},
    {"restart", "Ends all nodes of a job and starts them anew, at no cost to its limits.", true},
    {"doctor", "Says why a job does not run, and what to do.", true},
    {"completion", "Prints the completion of bash, zsh or fish for kubectl-lockstep.", false}};

constexpr char kFooter[] =
    "\nExit codes: 0 done, and nothing is wrong; 1 a fault was found, or the job is not there or "
    "not in that state;\n64 wrong usage; 69 the cluster does not answer; 77 not permitted.";

std::string text_of(const std::string& flag, const std::string& value) {
  return flag.substr(flag.find("--")) + "=" + value;
}

void add_connection(CLI::App& app, CommandLine& line) {
  for (const Connection& each : kConnection) {
    app.add_option_function<std::string>(
           each.flag,
           [&line, flag = std::string(each.flag)](const std::string& value) {
             // As kubectl takes -n=NAMESPACE, too.
             const bool has_sign = flag.starts_with("-n") && value.starts_with('=');
             line.connection.push_back(text_of(flag, value.substr(has_sign ? 1 : 0)));
           },
           each.help)
        ->group("Connection, as of kubectl");
  }
}

void add_log_flags(CLI::App& command, LogRequest& logs) {
  const CLI::Range ranks(0, kMaxNodes * kMaxProcPerNode - 1);
  command.add_option("--rank", logs.rank, "lines of this rank only")->check(ranks);
  command.add_option("--node", logs.node, "lines of this node only")
      ->check(CLI::Range(0, kMaxNodes - 1));
  command.add_option("--attempt", logs.attempt, "an earlier attempt")
      ->check(CLI::Range(1, 1'000'000'000));
  command.add_option("--tail", logs.tail, "only the last lines, of each node or of the rank")
      ->check(CLI::Range(0, 1'000'000'000));
  command.add_flag("-f,--follow", logs.follows, "goes on, also through restarts of the job");
}

// The pattern is that of the API server. It keeps whatever else a word may be from kubectl.
const CLI::Validator kJobName(
    [](std::string& name) {
      const bool is_name =
          !name.empty() && name.front() != '-' &&
          name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos;
      return is_name ? std::string() : "'" + name + "' is no name of a job";
    },
    "NAME");

void add_commands(CLI::App& app, CommandLine& line) {
  for (const Described& each : kCommands) {
    CLI::App* command = app.add_subcommand(each.name, each.help);
    command->fallthrough()->allow_extras();
    command->callback([&line, name = each.name] { line.command = name; });
    if (each.takes_job) {
      command->add_option("JOB", line.job, "name of the job")->required()->check(kJobName);
    }
  }
  for (const char* name : {"list", "top"}) {
    app.get_subcommand(name)->add_flag("-A,--all-namespaces", line.all_namespaces,
                                       "the jobs of all namespaces");
  }
  add_log_flags(*app.get_subcommand("logs"), line.logs);
  app.get_subcommand("top")->add_flag("--once", line.is_once, "shows one table and ends");
  app.get_subcommand("restart")
      ->add_option("--timeout", line.timeout, "seconds for the stop, and again for the start")
      ->check(CLI::Range(1, kLongestWait))
      ->capture_default_str();
  app.get_subcommand("completion")
      ->add_option("SHELL", line.shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
}

void build(CLI::App& app, CommandLine& line) {
  app.set_version_flag("--version", "kubectl-lockstep " LOCKSTEP_VERSION);
  app.allow_extras();
  app.footer(kFooter);
  add_connection(app, line);
  add_commands(app, line);
}

// The flags with their dashes; options without dashes are values.
std::vector<std::string> flags_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

Result<void> refuse_unknown(const CLI::App& app, const CommandLine& line) {
  const std::vector<std::string> unknown = app.remaining(true);
  if (unknown.empty()) return {};
  const std::string word = unknown.front().substr(0, unknown.front().find('='));
  if (word.starts_with('-')) {
    return failure(Kind::kInvalid,
                   "there is no flag " + word + ": " + suggestion(word, flag_names(line.command)));
  }
  if (!line.command.empty()) return failure(Kind::kInvalid, "unexpected argument " + word);
  return failure(Kind::kInvalid,
                 "there is no command " + word + ": " + suggestion(word, command_names()));
}

}  // namespace

Result<std::variant<CommandLine, Notice>> parse_command_line(int argc, const char* const* argv) {
  CommandLine line;
  if (argc > 1 && std::string_view(argv[1]) == kComplete) {
    line.command = kComplete;
    line.words.assign(argv + 2, argv + argc);
    return line;
  }
  CLI::App app("Looks after TrainingJobs.", "kubectl lockstep");
  build(app, line);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return Notice{app.help()};
  } catch (const CLI::CallForVersion& version) {
    return Notice{std::string(version.what()) + "\n"};
  } catch (const CLI::ParseError& error) {
    return failure(Kind::kInvalid, error.what());
  }
  TRY(refuse_unknown(app, line));
  if (line.command.empty()) return Notice{app.help()};
  return line;
}

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const Described& each : kCommands) names.emplace_back(each.name);
  return names;
}

std::vector<std::string> flag_names(const std::string& command) {
  CommandLine line;
  CLI::App app;
  build(app, line);
  std::vector<std::string> names = flags_of(app);
  const std::vector<std::string> known = command_names();
  if (std::find(known.begin(), known.end(), command) == known.end()) return names;
  for (std::string& name : flags_of(*app.get_subcommand(command))) {
    names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

bool takes_job(const std::string& command) {
  return std::any_of(std::begin(kCommands), std::end(kCommands),
                     [&](const Described& each) { return each.name == command && each.takes_job; });
}

bool takes_value(const std::string& flag) {
  CommandLine line;
  CLI::App app;
  build(app, line);
  for (const CLI::App* each : app.get_subcommands(nullptr)) {
    const CLI::Option* option = each->get_option_no_throw(flag);
    if (!option) option = app.get_option_no_throw(flag);
    if (option && option->get_items_expected_max() > 0) return true;
  }
  return false;
}

}  // namespace lockstep
