// Groups of flags by CLI11; see flags.h.
#include "trainer/launch/flags.h"

#include <algorithm>
#include <memory>
#include <stdexcept>

namespace lockstep {
namespace {

bool is_twin(const std::string& name) { return name.find('_') != std::string::npos; }

// "--a-b,--c" -> "--a-b,--a_b,--c"
std::string with_underscores(const std::string& names) {
  std::string all;
  for (const std::string& name : CLI::detail::split(names, ',')) {
    std::string twin = name;
    std::replace(twin.begin() + 2, twin.end(), '-', '_');
    all += (all.empty() ? "" : ",") + name + (twin == name ? "" : "," + twin);
  }
  return all;
}

// Leaves the names with underscores out of --help.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option_name(const CLI::Option* option, bool) const override {
    std::string names;
    for (const std::string& name : option->get_snames()) names += "-" + name + ", ";
    for (const std::string& name : option->get_lnames()) {
      if (!is_twin(name)) names += "--" + name + ", ";
    }
    return names.substr(0, names.size() - 2);
  }
};

Seconds seconds_of(const std::string& flag, double value) {
  if (value >= 0 && value <= 86400) return Seconds(value);
  throw std::invalid_argument(flag + " must be 0 to 86400 seconds");
}

int number_of(const std::string& flag, int value, int least, int most) {
  if (value >= least && value <= most) return value;
  throw std::invalid_argument(flag + " must be " + std::to_string(least) + " to " +
                              std::to_string(most));
}

// Adds the flags of one group of --help.
class Group {
 public:
  Group(CLI::App& app, std::string title) : app_(app), title_(std::move(title)) {}

  template <typename Target>
  void value(const std::string& names, const char* kind, Target& target, const char* help) {
    finish(app_.add_option(with_underscores(names), target, help), kind);
  }

  template <typename Target>
  void number(const std::string& name, Target& target, int least, int most, const char* help) {
    const auto store = [=, &target](int value) { target = number_of(name, value, least, most); };
    finish(app_.add_option_function<int>(with_underscores(name), store, help), "N");
  }

  void node_rank(std::optional<int>& target, const char* help) {
    const auto store = [&target](const std::string& text) {
      int rank = kAutoNodeRank;
      if (text != "auto" && !(CLI::detail::lexical_cast(text, rank) && rank >= 0)) {
        throw std::invalid_argument("--node-rank must be auto or a number from 0");
      }
      target = rank;
    };
    const std::string names = with_underscores("--node-rank");
    finish(app_.add_option_function<std::string>(names, store, help), "auto|N");
  }

  template <typename Target>
  void seconds(const std::string& name, Target& target, const char* help) {
    const auto store = [=, &target](double value) { target = seconds_of(name, value); };
    finish(app_.add_option_function<double>(with_underscores(name), store, help), "SECONDS");
  }

  void size(const std::string& name, std::uint64_t& target, const char* help) {
    CLI::Option* option = app_.add_option(with_underscores(name), target, help);
    // Before the transformation, which takes a sign for part of the number.
    const auto refuse_sign = [](const std::string& text) {
      return text.starts_with('-') || text.starts_with('+') ? "a size has no sign" : std::string();
    };
    option->check(CLI::Validator(refuse_sign, ""));
    finish(option->transform(CLI::AsSizeValue(false)), "SIZE");
  }

  void flag(const std::string& name, bool& target, const char* help) {
    app_.add_flag(name, target, help)->group(title_);
  }

 private:
  void finish(CLI::Option* option, const char* kind) { option->group(title_)->option_text(kind); }

  CLI::App& app_;
  std::string title_;
};

void declare_ranks(Group group, Options& options) {
  group.value("--nproc,--nproc-per-node", "N", options.nproc,
              "Processes on this node: a number, cpu (one per CPU), gpu (one per\n"
              "GPU) or auto (NPROC_PER_NODE, else one per GPU, else 1)");
  group.flag("--standalone", options.standalone,
             "One node on a free port, whatever the environment says");
  group.value("--hosts", "A,B:4,...", options.hosts,
              "All nodes, the same list on each; the first one is the master.\n"
              ":4 is the number of processes there, else it is --nproc");
  group.node_rank(options.node_rank,
                  "This node, from 0 (NODE_RANK, else 0); auto, the default with\n"
                  "--hosts: the one in the list that has an address of this machine");
  group.number("--nnodes", options.nnodes, 1, 1 << 20, "Number of nodes (NNODES, else 1)");
  group.value("--master-addr", "HOST", options.master_addr, "Where rank 0 runs (MASTER_ADDR)");
  group.number("--master-port", options.master_port, 1, 65535,
               "Its port (MASTER_PORT, else 29500)");
}

void declare_stop(Group group, Options& options) {
  group.seconds("--grace", options.grace,
                "To save after a stop from outside (LOCKSTEP_GRACE_SECONDS, else 25)");
  group.seconds("--peer-grace", options.peer_grace,
                "From SIGTERM to SIGKILL once a rank has failed (1)");
  group.seconds("--hang-timeout", options.hang_timeout,
                "Without any progress, until the ranks are ended\n"
                "(LOCKSTEP_HANG_TIMEOUT, else 0: never)");
  group.number("--max-restarts", options.max_restarts, 0, 1 << 20,
               "How often to start the ranks of this node again after a failure\n"
               "(0); the operator does that itself");
}

void declare_output(Group group, Options& options) {
  group.value("--log-dir", "DIR", options.log_dir,
              "Keep what rank R writes in DIR/attempt-N/rank-R.log\n"
              "($CHECKPOINT_DIR/logs where that is set)");
  group.size("--log-max-size", options.log_max_size,
             "At this size a log file becomes rank-R.log.1 (64MiB); 0: no files");
  group.number("--progress-port", options.progress_port, 0, 65535,
               "Of /progress, /metrics and /healthz, on loopback only unless the\n"
               "operator started the node (9790); 0: none");
}

}  // namespace

void declare_flags(CLI::App& app, Options& options) {
  auto formatter = std::make_shared<HelpFormatter>();
  formatter->column_width(27);
  app.formatter(formatter);
  declare_ranks(Group(app, "Ranks"), options);
  declare_stop(Group(app, "Failures and stops"), options);
  declare_output(Group(app, "Output"), options);
}

std::vector<std::string> flag_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      if (!is_twin(name)) names.push_back("--" + name);
    }
  }
  return names;
}

}  // namespace lockstep
