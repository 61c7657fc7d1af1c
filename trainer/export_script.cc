// From a checkpoint to a module: configuration, model, weights, record.
#include "trainer/export_script.h"

#include <torch/csrc/jit/api/module.h>

#include <map>
#include <stdexcept>

#include "trainer/config/config.h"
#include "trainer/model/registry.h"
#include "trainer/model/trace.h"
#include "trainer/shape_json.h"
#include "trainer/state/torch_script.h"
#include "trainer/state/torch_tensors.h"
#include "trainer/torch.h"

namespace lockstep {
namespace {

struct Described {
  Config config;
  DataShape shape;
};

Described description_in(const Checkpoint& checkpoint, const ExportRequest& request) {
  const std::string origin = "checkpoint step " + std::to_string(checkpoint.step) + " ";
  if (!checkpoint.state.contains("config") || !checkpoint.state.contains("shape")) {
    throw std::invalid_argument(origin +
                                "does not say what its data looks like, since an older version "
                                "wrote it: train it one step on, or export its weights");
  }
  ConfigSources sources;
  sources.environment = checkpoint.state["config"].get<std::string>();
  sources.overrides = request.overrides;
  return {load_config(sources), shape_in(checkpoint.state["shape"])};
}

void load(const std::vector<TensorRecord>& weights, const torch::nn::Module& model) {
  std::map<std::string, const TensorRecord*> records;
  for (const TensorRecord& record : weights) records[record.name] = &record;
  for (const auto& [name, tensor] : tensors_of(model)) {
    const auto found = records.find(name);
    if (found == records.end() || !is_like(*found->second, tensor)) {
      throw std::invalid_argument("the checkpoint has no " + name +
                                  " of the model's shape and type: is model.file another than in "
                                  "training?");
    }
    copy(*found->second, tensor);
  }
}

std::string arguments_text(const DataShape& shape) {
  switch (shape.kind) {
    case SampleKind::kPictures:
      return "inputs float32 [batch, " + std::to_string(shape.channels) + ", " +
             std::to_string(shape.rows) + ", " + std::to_string(shape.columns) + "]";
    case SampleKind::kTexts:
      return "inputs int64 [batch, length], lengths int64 [batch] on the CPU";
    case SampleKind::kWindows:
      return "inputs int64 [batch, up to " + std::to_string(shape.columns) + "]";
  }
  return "";
}

}  // namespace

bool is_script_name(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  return name.ends_with(".torchscript") || name.ends_with(".torchscript.pt");
}

void export_script(const ExportRequest& request,
                   const std::function<void(const std::string&)>& tell) {
  const Checkpoint checkpoint = checkpoint_of(request, tell);
  const auto [config, shape] = description_in(checkpoint, request);
  const std::shared_ptr<Model> model = make_model(config.model, shape, config.seed);
  load(exported_weights(checkpoint), *model);
  write_script(request.to, script_of(*model, shape, tell));
  tell("wrote the model of step " + std::to_string(checkpoint.step) + " to " + request.to.string() +
       "; its forward takes " + arguments_text(shape));
}

}  // namespace lockstep
