// Models as TorchScript: read back from bytes, they score as the model does, at any size of batch.
#include "trainer/model/trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>

#include <set>
#include <sstream>

#include "trainer/model/registry.h"
#include "trainer/model/trial.h"
#include "trainer/torch.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

const DataShape kPictures{.rows = 20, .columns = 24};
const DataShape kTexts{.kind = SampleKind::kTexts, .vocabulary = 31, .classes = 5};
const DataShape kWindows{
    .kind = SampleKind::kWindows, .columns = 16, .vocabulary = 31, .classes = 31};

std::vector<std::string> told;
void tell(const std::string& text) { told.push_back(text); }

torch::jit::Module reread(const torch::jit::Module& module) {
  std::stringstream bytes;
  module.save(bytes);
  return torch::jit::load(bytes);
}

std::set<std::string> names_of(const torch::nn::Module& model) {
  std::set<std::string> names;
  for (const auto& item : model.named_parameters()) names.insert(item.key());
  for (const auto& item : model.named_buffers()) names.insert(item.key());
  return names;
}

std::set<std::string> names_of(const torch::jit::Module& module) {
  std::set<std::string> names;
  for (const auto& item : module.named_parameters()) names.insert(item.name);
  for (const auto& item : module.named_buffers()) names.insert(item.name);
  return names;
}

void expect_same_scores(Model& model, torch::jit::Module& module, const DataShape& shape,
                        std::int64_t length) {
  for (const std::int64_t size : {1, 2, 7}) {
    const Batch batch = made_up_batch(shape, size, length);
    const auto scores = (batch.lengths.defined() ? module.forward({batch.inputs, batch.lengths})
                                                 : module.forward({batch.inputs}))
                            .toTensor();
    const at::Tensor wanted = model.forward(batch);
    EXPECT_EQ(scores.sizes(), wanted.sizes());
    EXPECT_LE((scores - wanted).abs().max().item<double>(), 1e-6) << size << " of " << length;
  }
}

TEST(Trace, ScoresAsEachBuiltInModelDoes) {
  const at::NoGradGuard no_grad;
  const struct {
    ModelConfig config;
    DataShape shape;
    std::vector<std::int64_t> lengths;
  } cases[] = {{{.name = "mlp"}, kPictures, {0}},
               {{.name = "lenet"}, kPictures, {0}},
               {{.name = "resnet18"}, kPictures, {0}},
               {{.name = "char-gpt", .width = 16, .dropout = 0.5}, kWindows, {16, 5, 1}},
               {{.name = "text-classifier", .width = 8, .dropout = 0.5}, kTexts, {6, 1, 40}}};
  for (const auto& each : cases) {
    SCOPED_TRACE(each.config.name);
    told.clear();
    const auto model = make_model(each.config, each.shape, 3);
    torch::jit::Module module = reread(script_of(*model, each.shape, tell));
    EXPECT_EQ(names_of(module), names_of(*model));
    for (const std::int64_t length : each.lengths) {
      expect_same_scores(*model, module, each.shape, length);
    }
    EXPECT_THAT(told, IsEmpty());
  }
}

// Sizes that a forward read as numbers are those of the recorded batch.
TEST(Trace, RefusesAModelThatFitsOneBatchOnly) {
  const auto model =
      make_model({.name = "plugin", .file = GOOD_PLUGIN, .options = "fixed batch"}, kPictures, 1);
  try {
    script_of(*model, kPictures, tell);
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), HasSubstr("recorded with 2 samples does not score 1"));
  }
}

TEST(Trace, KeepsAModelThatIsAScriptAsItIs) {
  const auto model = make_model({.name = "torchscript", .file = GOLDEN_DIR "/scripted.pt"}, {}, 1);
  {
    const at::NoGradGuard no_grad;
    model->named_parameters()["head.bias"].fill_(3);
  }
  torch::jit::Module module = reread(script_of(*model, {}, tell));
  module.train();
  EXPECT_TRUE(module.attr("training").toBool()) << "it can be trained on";
  model->train();
  const at::NoGradGuard no_grad;
  const at::Tensor picture = at::ones({2, 1, 28, 28});
  EXPECT_TRUE(module.forward({picture}).toTensor().allclose(model->forward({picture, {}, {}})));
}

TEST(Trace, KeepsWhatIsFrozenFrozen) {
  const auto model = make_model({.name = "mlp"}, kPictures, 1);
  model->named_parameters()["layers.0.weight"].requires_grad_(false);
  const torch::jit::Module module = reread(script_of(*model, kPictures, tell));
  for (const auto& item : module.named_parameters()) {
    EXPECT_EQ(item.value.requires_grad(), item.name != "layers.0.weight") << item.name;
  }
}

}  // namespace
}  // namespace lockstep
