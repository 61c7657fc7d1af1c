// Writes the files that were embedded when this was built.
#include "trainer/new_plugin.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include "trainer/errors.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

void require_free(const fs::path& directory) {
  std::error_code error;
  const bool is_there = fs::exists(fs::symlink_status(directory, error));
  if (!is_there || (fs::is_directory(directory, error) && fs::is_empty(directory, error))) return;
  throw std::invalid_argument(directory.string() +
                              " exists and is no empty directory: name a new one");
}

void write(const fs::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw StorageError("cannot write " + path.string() + ": " + std::strerror(errno));
}

}  // namespace

std::string write_new_plugin(const fs::path& directory) {
  require_free(directory);
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) throw StorageError("cannot make " + directory.string() + ": " + error.message());
  for (const TemplateFile& file : template_files()) write(directory / file.name, file.text);
  return "wrote a model of your own to " + directory.string() + "; next, there:\n" +
         "  cmake -B build -DCMAKE_PREFIX_PATH=PREFIX && cmake --build build\n"
         "  lockstep-launch --nproc 2 -- lockstep-train run --config config.yaml";
}

}  // namespace lockstep
