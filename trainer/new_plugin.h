// `lockstep-train new-plugin`: a model of one's own to begin with.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lockstep {

struct TemplateFile {
  std::string name;
  std::string text;
};

// What trainer/model/template holds.
const std::vector<TemplateFile>& template_files();

// Writes the template into `directory`, which may exist if it is empty; returns what to do next.
// Throws std::invalid_argument when something is there already; StorageError when it cannot be
// written.
std::string write_new_plugin(const std::filesystem::path& directory);

}  // namespace lockstep
