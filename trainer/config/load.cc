// Lays documents over the defaults, one setting at a time; see config.h.
#include <yaml-cpp/yaml.h>

#include <cerrno>
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

void check_together(const Config& config) {
  const ScheduleConfig& schedule = config.schedule;
  if (schedule.warmup_steps > 0 && schedule.warmup_epochs > 0) {
    throw ConfigError(
        "schedule.warmup_steps and schedule.warmup_epochs exclude each other: "
        "keep one of them");
  }
  if (config.optim.nesterov && config.optim.momentum == 0) {
    throw ConfigError("optim.nesterov needs optim.momentum above 0");
  }
  if (config.ddp.find_unused && config.ddp.rebuild_buckets) {
    throw ConfigError(
        "ddp.find_unused and ddp.rebuild_buckets exclude each other: "
        "buckets cannot follow an order that changes");
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
  if (config.data.val.path.empty()) config.data.val.path = config.data.train.path;
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
