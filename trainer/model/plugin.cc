// Loads a library and believes nothing it says before its version is known.
#include "trainer/model/plugin.h"

#include <dlfcn.h>

#include <filesystem>
#include <stdexcept>

#include "trainer/model/registry.h"
#include "trainer/model/trial.h"
#include "trainer/torch.h"

namespace lockstep {
namespace {

// Another size is another layout: then raise kModelPluginVersion too.
static_assert(kModelPluginVersion == 1 && sizeof(ModelPlugin) == 32 && sizeof(Batch) == 32 &&
              sizeof(DataShape) == 48 && sizeof(ModelRequest) == 80);

constexpr char kEntryPoint[] = "lockstep_model_plugin";

[[noreturn]] void refuse(const std::string& file, const std::string& reason) {
  throw std::invalid_argument("model.file " + file + " " + reason);
}

// What the system says, without the path in front of it.
std::string load_error(const std::string& path) {
  const std::string text = dlerror();
  return text.starts_with(path + ": ") ? text.substr(path.size() + 2) : text;
}

// The library stays loaded to the end: the model's code is in it, and the exceptions that it
// throws.
void* opened(const std::string& file) {
  const std::string path = std::filesystem::absolute(file);
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library) return library;
  refuse(file, "is no shared library that can be loaded: " + load_error(path));
}

const ModelPlugin& plugin_in(const std::string& file) {
  using EntryPoint = const ModelPlugin* (*)();
  const auto entry = reinterpret_cast<EntryPoint>(dlsym(opened(file), kEntryPoint));
  if (!entry) {
    refuse(file, std::string("has no function ") + kEntryPoint +
                     ": end its source with LOCKSTEP_MODEL, as in what lockstep-train new-plugin "
                     "writes");
  }
  const ModelPlugin* plugin = entry();
  if (!plugin) refuse(file, std::string("describes no model: ") + kEntryPoint + "() returned null");
  return *plugin;
}

void require_same_build(const std::string& file, const ModelPlugin& plugin) {
  if (plugin.version != kModelPluginVersion) {
    refuse(file, "was built for version " + std::to_string(plugin.version) +
                     " of trainer/model/plugin.h, this lockstep-train has version " +
                     std::to_string(kModelPluginVersion) +
                     ": build it with the headers of this one");
  }
  if (std::string(plugin.libtorch) != TORCH_VERSION) {
    refuse(file, std::string("was built with LibTorch ") + plugin.libtorch +
                     ", this lockstep-train has " TORCH_VERSION ": build it with the same");
  }
}

std::shared_ptr<Model> made_by(const ModelPlugin& plugin, const ModelRequest& request,
                               const std::string& file) {
  try {
    if (auto model = plugin.make(request)) return model;
  } catch (const c10::Error& error) {
    refuse(file, std::string("cannot make its model: ") + error.what_without_backtrace());
  } catch (const std::exception& error) {
    refuse(file, std::string("cannot make its model: ") + error.what());
  } catch (...) {
    refuse(file, "cannot make its model: it threw something that is no std::exception");
  }
  refuse(file, "cannot make its model: its function returned null");
}

}  // namespace

std::shared_ptr<Model> make_plugin_model(const ModelConfig& config, const DataShape& shape) {
  const ModelPlugin& plugin = plugin_in(config.file);
  require_same_build(config.file, plugin);
  require_kind("of model.file " + config.file, plugin.takes, shape);
  auto model = made_by(plugin, {shape, config.options}, config.file);
  require_scores(*model, shape, "model.file " + config.file);
  return model;
}

}  // namespace lockstep
