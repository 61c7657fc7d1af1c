// Prints, compares and hashes a configuration; see config.h.
#include <algorithm>
#include <cstdio>

#include "trainer/config/config.h"
#include "trainer/config/settings.h"
#include "trainer/config/value.h"

namespace lockstep {
namespace {

// Opens the sections of `name` that `open` is not in yet; returns the section it is in.
std::string enter_section(std::string& text, const std::string& open, const std::string& name) {
  const std::size_t last = name.rfind('.');
  const std::string section = last == std::string::npos ? "" : name.substr(0, last);
  if (section == open) return section;
  std::size_t depth = 0;
  for (std::size_t begin = 0; begin < section.size(); ++depth) {
    const std::size_t end = std::min(section.find('.', begin), section.size());
    const bool is_open = (open + ".").starts_with(section.substr(0, end) + ".");
    if (!is_open) text += std::string(2 * depth, ' ') + section.substr(begin, end - begin) + ":\n";
    begin = end + 1;
  }
  return section;
}

std::size_t depth_of(const std::string& name) {
  return static_cast<std::size_t>(std::count(name.begin(), name.end(), '.'));
}

// FNV-1a, 64 bits.
std::uint64_t fnv1a(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : bytes) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  }
  return hash;
}

}  // namespace

std::string resolved(const Config& config) {
  std::string text;
  std::string section;
  for_each_setting(config, [&](const std::string& name, const auto& value, const Rule&, Change) {
    section = enter_section(text, section, name);
    text += std::string(2 * depth_of(name), ' ') + name.substr(name.rfind('.') + 1) + ": " +
            text_of(value) + "\n";
  });
  return text;
}

Settings state_settings(const Config& config) {
  Settings settings;
  for_each_setting(config,
                   [&](const std::string& name, const auto& value, const Rule&, Change change) {
                     if (change == Change::kBreaksResume) settings[name] = text_of(value);
                   });
  return settings;
}

std::string state_hash(const Config& config) {
  std::string text;
  for (const auto& [name, value] : state_settings(config)) text += name + "=" + value + "\n";
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(fnv1a(text)));
  return digits;
}

std::vector<std::string> differing(const Settings& left, const Settings& right) {
  std::map<std::string, bool> names;  // whether they differ
  for (const auto& [name, value] : left) {
    const auto other = right.find(name);
    names[name] = other == right.end() || other->second != value;
  }
  for (const auto& [name, value] : right) names.try_emplace(name, true);
  std::vector<std::string> result;
  for (const auto& [name, differs] : names) {
    if (differs) result.push_back(name);
  }
  return result;
}

}  // namespace lockstep
