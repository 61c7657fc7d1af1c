// Records one evaluation with torch's tracer, then doubts it.
#include "trainer/model/trace.h"

#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/frontend/tracer.h>
#include <torch/csrc/jit/passes/dead_code_elimination.h>
#include <torch/csrc/jit/passes/lower_tuples.h>

#include <stdexcept>

#include "trainer/model/script_model.h"
#include "trainer/model/trial.h"
#include "trainer/torch.h"

namespace lockstep {
namespace {

namespace jit = torch::jit;
using Units = std::shared_ptr<jit::CompilationUnit>;

constexpr char kAdvice[] =
    "use operations on tensors, such as flatten(1), for what depends on sizes() or item()";

// The tree of `module` without its methods, over the same tensors.
jit::Module tree_of(const torch::nn::Module& module, const char* name, const Units& units) {
  jit::Module tree(c10::QualifiedName(name), units, /*shouldMangle=*/true);
  for (const auto& item : module.named_parameters(/*recurse=*/false)) {
    tree.register_parameter(item.key(), item.value(), /*is_buffer=*/false);
  }
  for (const auto& item : module.named_buffers(/*recurse=*/false)) {
    tree.register_buffer(item.key(), item.value());
  }
  tree.register_attribute("training", c10::BoolType::get(), false);  // Python's eval() sets it
  for (const auto& child : module.named_children()) {
    tree.register_module(child.key(), tree_of(*child.value(), "__torch__.Part", units));
  }
  return tree;
}

std::vector<jit::IValue> arguments_of(const Batch& batch) {
  if (!batch.lengths.defined()) return {batch.inputs};
  return {batch.inputs, batch.lengths};
}

jit::Module recorded(Model& model, const Batch& batch) {
  jit::Module script = tree_of(model, "__torch__.Model", std::make_shared<jit::CompilationUnit>());
  const auto score = [&](const jit::Stack& given) -> jit::Stack {
    const at::Tensor lengths = given.size() > 1 ? given[1].toTensor() : at::Tensor();
    return {model.forward({given[0].toTensor(), {}, lengths})};
  };
  const auto no_name = [](const at::Tensor&) { return std::string(); };
  const bool has_lengths = batch.lengths.defined();
  const auto state = jit::tracer::trace(arguments_of(batch), score, no_name, /*strict=*/true,
                                        /*force_outplace=*/false, &script,
                                        has_lengths ? std::vector<std::string>{"inputs", "lengths"}
                                                    : std::vector<std::string>{"inputs"});
  const std::shared_ptr<jit::Graph> graph = state.first->graph;
  jit::EliminateDeadCode(graph);
  jit::LowerSimpleTuples(graph);
  const c10::QualifiedName name(*script.type()->name(), "forward");
  script.type()->addMethod(script._ivalue()->compilation_unit()->create_function(name, graph));
  return script;
}

// Where the recorded operations do not fit other sizes, they throw or score otherwise.
bool agrees(Model& model, jit::Module& script, const Batch& batch) {
  constexpr double kRelative = 1e-4, kAbsolute = 1e-5;
  try {
    const at::Tensor scores = script.forward(arguments_of(batch)).toTensor();
    const at::Tensor wanted = model.forward(batch);
    return scores.sizes() == wanted.sizes() &&
           scores.allclose(wanted, kRelative, kAbsolute, /*equal_nan=*/true);
  } catch (const std::exception&) {
    return false;
  }
}

jit::Module record(Model& model, const Batch& batch) {
  try {
    return recorded(model, batch);
  } catch (const c10::Error& error) {
    throw std::invalid_argument(std::string("the model cannot be recorded as TorchScript: ") +
                                error.what_without_backtrace());
  }
}

void require_free_batch(Model& model, jit::Module& script, const DataShape& shape,
                        std::int64_t length) {
  for (const std::int64_t size : {1, 2, 5}) {
    if (agrees(model, script, made_up_batch(shape, size, length))) continue;
    throw std::invalid_argument(
        "the model cannot be recorded as TorchScript: what was recorded with 2 samples does not "
        "score " +
        std::to_string(size) + " as the model does; in its forward " + kAdvice);
  }
}

}  // namespace

jit::Module script_of(Model& model, const DataShape& shape,
                      const std::function<void(const std::string&)>& tell) {
  const at::NoGradGuard no_grad;
  model.eval();
  if (const auto* written = dynamic_cast<const ScriptModel*>(&model)) return written->script();
  constexpr std::int64_t kTextLength = 6;
  const bool is_window = shape.kind == SampleKind::kWindows;
  const std::int64_t length = is_window ? shape.columns : kTextLength;
  jit::Module script = record(model, made_up_batch(shape, 2, length));
  require_free_batch(model, script, shape, length);
  if (shape.kind == SampleKind::kTexts) {
    require_free_batch(model, script, shape, 2 * kTextLength);
    require_free_batch(model, script, shape, 1);
  }
  if (is_window && !agrees(model, script, made_up_batch(shape, 2, (length + 1) / 2))) {
    tell("note: the module takes windows of " + std::to_string(length) + " tokens only");
  }
  return script;
}

}  // namespace lockstep
