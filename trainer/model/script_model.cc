// Reads the file, checks what its forward takes, mirrors its tree of parts.
#include "trainer/model/script_model.h"

#include <caffe2/serialize/inline_container.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/csrc/jit/serialization/import.h>

#include <filesystem>
#include <set>
#include <stdexcept>

#include "trainer/model/registry.h"
#include "trainer/model/trial.h"
#include "trainer/torch.h"

namespace lockstep {
namespace {

namespace jit = torch::jit;

[[noreturn]] void refuse(const std::string& file, const std::string& reason) {
  throw std::invalid_argument("model.file " + file + " " + reason);
}

constexpr char kAdvice[] = "write one in Python with torch.jit.script(model).save(FILE)";

// What torch.save() writes is an archive too, with a pickle in it and no code.
bool is_pickle(const std::string& file) {
  try {
    caffe2::serialize::PyTorchStreamReader archive(file);
    return archive.hasRecord("data.pkl") && !archive.hasRecord("constants.pkl");
  } catch (const std::exception&) {
    return false;
  }
}

jit::Module read_script(const std::string& file) {
  if (!std::filesystem::is_regular_file(file)) refuse(file, "is no file that can be read");
  if (is_pickle(file)) {
    refuse(file, std::string("was written by torch.save(), so it holds weights and no model: name "
                             "it in model.weights, or ") +
                     kAdvice);
  }
  try {
    return jit::load(file, at::kCPU);
  } catch (const std::exception&) {
    refuse(file, std::string("is no TorchScript file: ") + kAdvice);
  }
}

// The arguments of forward() that a caller must give.
std::size_t argument_count(const jit::Module& script, const std::string& file) {
  const auto forward = script.find_method("forward");
  if (!forward) refuse(file, "has no method forward");
  std::size_t count = 0;
  for (const c10::Argument& each : forward->function().getSchema().arguments()) {
    if (!each.default_value()) ++count;
  }
  return count - 1;  // self
}

bool takes_lengths(const jit::Module& script, const DataShape& shape, const std::string& file) {
  const std::size_t count = argument_count(script, file);
  const bool is_text = shape.kind == SampleKind::kTexts;
  if (count == 1 || (count == 2 && is_text)) return count == 2;
  refuse(file, "has a forward of " + std::to_string(count) +
                   " arguments; the samples of data.train " +
                   (is_text ? "are one, their tokens, or two, with their lengths" : "are one"));
}

// One that has several names is known by its first, as in Python.
void adopt(torch::nn::Module& ours, const jit::Module& script, std::set<const void*>& known) {
  const auto is_new = [&](const at::Tensor& each) {
    return known.insert(each.unsafeGetTensorImpl()).second;
  };
  for (const auto& each : script.named_parameters(/*recurse=*/false)) {
    const bool is_trained = each.value.requires_grad();
    if (is_new(each.value)) ours.register_parameter(each.name, each.value, is_trained);
  }
  for (const auto& each : script.named_buffers(/*recurse=*/false)) {
    if (is_new(each.value)) ours.register_buffer(each.name, each.value);
  }
  for (const auto& child : script.named_children()) {
    adopt(*ours.register_module(child.name, std::make_shared<torch::nn::Module>()), child.value,
          known);
  }
}

}  // namespace

ScriptModel::ScriptModel(jit::Module script, bool takes_lengths)
    : script_(std::move(script)), takes_lengths_(takes_lengths) {
  std::set<const void*> known;
  adopt(*this, script_, known);
}

// The executor's optimisations begin after the first steps of a process and may change the last
// bits: a resumed run would not take the same steps.
at::Tensor ScriptModel::forward(const Batch& batch) {
  const jit::GraphOptimizerEnabledGuard as_written(false);
  std::vector<jit::IValue> arguments{batch.inputs};
  if (takes_lengths_) arguments.emplace_back(batch.lengths);
  const jit::IValue scores = script_.forward(std::move(arguments));
  return scores.isTensor() ? scores.toTensor() : at::Tensor();
}

// Of parts that distinguish the two; those of a frozen or traced module do not.
void ScriptModel::train(bool is_on) {
  Model::train(is_on);
  for (const jit::Module& part : script_.modules()) {
    if (part.hasattr("training")) part._ivalue()->setAttr("training", is_on);
  }
}

std::shared_ptr<Model> make_script_model(const ModelConfig& config, const DataShape& shape) {
  jit::Module script = read_script(config.file);
  const bool has_lengths = takes_lengths(script, shape, config.file);
  auto model = std::make_shared<ScriptModel>(std::move(script), has_lengths);
  require_scores(*model, shape, "model.file " + config.file);
  return model;
}

}  // namespace lockstep
