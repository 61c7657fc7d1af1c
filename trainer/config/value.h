// Between one YAML scalar or list and one typed setting. Strict: nothing is converted silently.
#pragma once

#include <yaml-cpp/yaml.h>

#include <cstdint>
#include <string>
#include <vector>

#include "trainer/config/settings.h"

namespace lockstep {

// Store what `node` holds. Throw ConfigError with the end of a sentence that starts with the
// setting's name, such as "must be a whole number from 1 to 10, not \"x\"".
void read_value(const YAML::Node& node, const Rule& rule, bool& value);
void read_value(const YAML::Node& node, const Rule& rule, int& value);
void read_value(const YAML::Node& node, const Rule& rule, std::uint64_t& value);
void read_value(const YAML::Node& node, const Rule& rule, double& value);
void read_value(const YAML::Node& node, const Rule& rule, std::string& value);
void read_value(const YAML::Node& node, const Rule& rule, std::vector<int>& value);
// A number alone is a list of one.
void read_value(const YAML::Node& node, const Rule& rule, std::vector<double>& value);

// The YAML that read_value turns back into the same value; the shortest digits that do.
std::string text_of(bool value);
std::string text_of(int value);
std::string text_of(std::uint64_t value);
std::string text_of(double value);
std::string text_of(const std::string& value);
std::string text_of(const std::vector<int>& value);
std::string text_of(const std::vector<double>& value);

}  // namespace lockstep
