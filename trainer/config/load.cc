// Lays documents over the defaults, one setting at a time; see config.h.
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <set>

#include "trainer/config/config.h"
#include "trainer/config/settings.h"
#include "trainer/config/value.h"
#include "trainer/contract.h"
#include "trainer/nearest.h"

namespace lockstep {
namespace {

constexpr std::size_t kLongestDocument = 1 << 20;

std::string joined(const std::string& section, const std::string& key) {
  return section.empty() ? key : section + "." + key;
}

// Knows every setting by name and writes it into a Config.
class Layers {
 public:
  explicit Layers(Config& config) {
    for_each_setting(config, [this](const std::string& name, auto& value, const Rule& rule,
                                    Change) {
      setters_[name] = [&value, rule](const YAML::Node& node) { read_value(node, rule, value); };
      for (std::size_t dot = name.find('.'); dot != std::string::npos;
           dot = name.find('.', dot + 1)) {
        sections_.insert(name.substr(0, dot));
      }
    });
  }

  // Lays `text` over what is there. `origin` starts every message: a file or a variable.
  void add_document(const std::string& origin, const std::string& text) {
    const YAML::Node root = parse(origin, text);
    if (root.IsNull()) return;
    if (!root.IsMap()) throw ConfigError(origin + ": must be sections of settings (YAML)");
    add_section(origin, "", root);
  }

  // "train.epochs=3"
  void add_override(const std::string& assignment) {
    const std::string origin = "--set " + assignment;
    const std::size_t equals = assignment.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw ConfigError(origin + ": write section.key=value");
    }
    const YAML::Node value = parse(origin, assignment.substr(equals + 1));
    const std::string name = assignment.substr(0, equals);
    std::string section;
    std::size_t begin = 0;
    for (std::size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', begin)) {
      const std::string key = name.substr(begin, dot - begin);
      if (!sections_.contains(joined(section, key))) throw unknown(origin, section, key);
      section = joined(section, key);
      begin = dot + 1;
    }
    add_setting(origin, section, name.substr(begin), value);
  }

 private:
  static YAML::Node parse(const std::string& origin, const std::string& text) {
    if (text.size() > kLongestDocument) throw ConfigError(origin + ": is larger than 1 MiB");
    try {
      const std::vector<YAML::Node> documents = YAML::LoadAll(text);
      if (documents.size() > 1) throw ConfigError(origin + ": holds more than one document");
      return documents.empty() ? YAML::Node() : documents.front();
    } catch (const YAML::Exception& error) {
      throw ConfigError(origin + ": is no valid YAML: " + error.what());
    }
  }

  void add_section(const std::string& origin, const std::string& section, const YAML::Node& map) {
    std::set<std::string> seen;
    for (const auto& entry : map) {
      const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : "that is no text";
      const std::string where = located(origin, entry.first);
      if (!seen.insert(key).second) {
        throw ConfigError(where + ": " + joined(section, key) + " is given twice");
      }
      if (entry.second.IsMap() && sections_.contains(joined(section, key))) {
        add_section(origin, joined(section, key), entry.second);
      } else {
        add_setting(where, section, key, entry.second);
      }
    }
  }

  void add_setting(const std::string& where, const std::string& section, const std::string& key,
                   const YAML::Node& value) {
    const std::string name = joined(section, key);
    if (const auto setter = setters_.find(name); setter != setters_.end()) {
      try {
        setter->second(value);
      } catch (const ConfigError& error) {
        throw ConfigError(where + ": " + name + " " + error.what());
      }
    } else if (!sections_.contains(name)) {
      throw unknown(where, section, key);
    } else if (!value.IsNull()) {
      throw ConfigError(where + ": " + name + " is a section of settings, not one value");
    }
  }

  ConfigError unknown(const std::string& where, const std::string& section,
                      const std::string& key) const {
    const std::string place = section.empty() ? "" : " in section " + section;
    return ConfigError(where + ": unknown key " + key + place + ": " + hint(section, key));
  }

  // The nearest key of the same section, else a key of that very name elsewhere.
  std::string hint(const std::string& section, const std::string& key) const {
    const std::vector<std::string> siblings = keys_of(section);
    if (nearest(key, siblings).empty()) {
      for (const auto& [name, setter] : setters_) {
        if (name.ends_with("." + key)) return "did you mean " + name + "?";
      }
    }
    return suggestion(key, siblings);
  }

  std::vector<std::string> keys_of(const std::string& section) const {
    std::set<std::string> keys;
    const std::string prefix = section.empty() ? "" : section + ".";
    for (const auto& [name, setter] : setters_) {
      if (name.starts_with(prefix)) {
        const std::string rest = name.substr(prefix.size());
        keys.insert(rest.substr(0, rest.find('.')));
      }
    }
    return {keys.begin(), keys.end()};
  }

  // One-line documents need no line number.
  static std::string located(const std::string& origin, const YAML::Node& node) {
    const bool is_file = !origin.starts_with("--set ") && origin != contract::kConfig;
    return is_file ? origin + " line " + std::to_string(node.Mark().line + 1) : origin;
  }

  std::map<std::string, std::function<void(const YAML::Node&)>> setters_;
  std::set<std::string> sections_;
};

std::string read_file(const std::filesystem::path& file) {
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  std::string text(kLongestDocument + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!stream.is_open() || (!stream.eof() && stream.gcount() == 0)) {
    throw ConfigError("--config " + file.string() + ": cannot be read: " + std::strerror(errno));
  }
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return text;
}

void check_sampler(const SamplerConfig& sampler) {
  const bool is_bucketed = sampler.name == "length_bucket";
  if (!is_bucketed && !(sampler.up_to.empty() && sampler.batch.empty())) {
    throw ConfigError("data.sampler.up_to and data.sampler.batch need name: length_bucket, not " +
                      sampler.name);
  }
  if (std::ranges::adjacent_find(sampler.up_to, std::greater_equal()) != sampler.up_to.end()) {
    throw ConfigError("data.sampler.up_to must grow from bucket to bucket, as in [100, 220]");
  }
  const std::size_t buckets = sampler.up_to.size() + 1;
  if (!sampler.batch.empty() && sampler.batch.size() != buckets) {
    throw ConfigError("data.sampler.batch has " + std::to_string(sampler.batch.size()) +
                      " entries: write " + std::to_string(buckets) +
                      ", one for each of data.sampler.up_to and one for longer samples");
  }
}

// Four clips in turn, so that the run ends with the full one.
void check_long_cycle(const SamplerConfig& sampler) {
  const auto& epochs = sampler.long_cycle;
  if (epochs.empty()) return;
  if (sampler.name != "multigrid") {
    throw ConfigError("data.sampler.long_cycle needs name: multigrid, not " + sampler.name);
  }
  if (std::ranges::adjacent_find(epochs, std::greater_equal()) != epochs.end()) {
    throw ConfigError("data.sampler.long_cycle must be growing epochs, as in [10, 20, 30]");
  }
  if (epochs.size() % 4 != 3) {
    throw ConfigError("data.sampler.long_cycle has " + std::to_string(epochs.size()) +
                      " epochs: write 3, 7, 11, ..., so that the last clips are full ones");
  }
}

void check_optim(const OptimConfig& optim) {
  if (optim.clip_norm > 0 && optim.clip_value > 0) {
    throw ConfigError("optim.clip_norm and optim.clip_value exclude each other: keep one of them");
  }
  if (!optim.nesterov) return;
  if (optim.name != "sgd") throw ConfigError("optim.nesterov needs optim.name: sgd");
  if (optim.momentum == 0) throw ConfigError("optim.nesterov needs optim.momentum above 0");
  if (optim.dampening != 0) throw ConfigError("optim.nesterov needs optim.dampening: 0");
}

void check_warmup(const ScheduleConfig& schedule) {
  if (schedule.warmup_steps > 0 && schedule.warmup_epochs > 0) {
    throw ConfigError(
        "schedule.warmup_steps and schedule.warmup_epochs exclude each other: "
        "keep one of them");
  }
  const bool has_warmup = schedule.warmup_steps > 0 || schedule.warmup_epochs > 0;
  if (schedule.name == "one_cycle" && has_warmup) {
    throw ConfigError("schedule.name one_cycle has its own warm-up: set schedule.peak_at");
  }
  if (schedule.per == "epoch" &&
      (schedule.warmup_steps > 0 || schedule.warmup_epochs != std::floor(schedule.warmup_epochs))) {
    throw ConfigError("schedule.per epoch needs its warm-up as whole schedule.warmup_epochs");
  }
  if (schedule.warmup == "gluoncv" && schedule.per != "epoch") {
    throw ConfigError("schedule.warmup gluoncv needs schedule.per: epoch");
  }
}

void check_schedule(const ScheduleConfig& schedule) {
  check_warmup(schedule);
  const std::vector<int>& milestones = schedule.milestones;
  if ((schedule.name == "multistep") == milestones.empty()) {
    throw ConfigError("schedule.milestones and schedule.name multistep need each other");
  }
  if (!std::is_sorted(milestones.begin(), milestones.end(), std::less_equal())) {
    throw ConfigError("schedule.milestones must rise");
  }
}

void check_together(const Config& config) {
  check_sampler(config.data.sampler);
  check_long_cycle(config.data.sampler);
  check_optim(config.optim);
  check_schedule(config.schedule);
  if (config.ddp.find_unused && config.ddp.rebuild_buckets) {
    throw ConfigError(
        "ddp.find_unused and ddp.rebuild_buckets exclude each other: "
        "buckets cannot follow an order that changes");
  }
}

// A format that comes as two sets in one folder needs to be named once.
void complete_validation_source(DataConfig& data) {
  static const std::set<std::string> kBothInOneFolder{"idx", "cifar10", "cifar100"};
  if (data.val.format.empty()) data.val.format = data.train.format;
  if (data.val.path.empty() && kBothInOneFolder.contains(data.val.format)) {
    data.val.path = data.train.path;
  }
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

}  // namespace

Config load_config(const ConfigSources& sources) {
  Config config;
  Layers layers(config);
  layers.add_document(contract::kConfig, sources.environment);
  for (const auto& file : sources.files) layers.add_document(file.string(), read_file(file));
  for (const std::string& assignment : sources.overrides) layers.add_override(assignment);
  complete_validation_source(config.data);
  if (config.checkpoint.directory.empty()) {
    config.checkpoint.directory = sources.checkpoint_directory;
  }
  check_together(config);
  return config;
}

ConfigSources environment_sources() {
  ConfigSources sources;
  sources.environment = variable(contract::kConfig);
  sources.checkpoint_directory = variable(contract::kCheckpointDir);
  return sources;
}

}  // namespace lockstep
