// Counts against Python's (golden/make_flop_goldens.py).
#include "trainer/speed/flop_count.h"

#include <ATen/autocast_mode.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/temporary_directory.h"
#include "trainer/model/registry.h"
#include "trainer/torch.h"

namespace lockstep {
namespace {

double golden(const std::string& name) {
  return nlohmann::json::parse(testing::content_of(GOLDEN_DIR "/flops.json"))[name].get<double>();
}

template <typename Work>
double counted(const Work& work) {
  double flops = 0;
  const FlopCount count(&flops);
  work();
  return flops;
}

double flops_of(const ModelConfig& config, const DataShape& shape, const at::Tensor& inputs) {
  const auto model = make_model(config, shape, 1);
  return counted([&] { model->forward({inputs, {}, {}}); });
}

TEST(FlopCount, IsPythonsForThePictureModels) {
  const DataShape digits, photos{.channels = 3, .rows = 96, .columns = 96};
  const at::Tensor digit = at::zeros({7, 1, 28, 28}), photo = at::zeros({2, 3, 96, 96});
  EXPECT_EQ(flops_of({.name = "mlp"}, digits, digit), golden("mlp"));
  EXPECT_EQ(flops_of({.name = "lenet"}, digits, digit), golden("lenet"));
  EXPECT_EQ(flops_of({.name = "resnet18"}, photos, photo), golden("resnet18"));
  EXPECT_EQ(flops_of({.name = "resnet50"}, photos, photo), golden("resnet50"));
}

TEST(FlopCount, IsPythonsForAttention) {
  const DataShape text{
      .kind = SampleKind::kWindows, .columns = 16, .vocabulary = 31, .classes = 31};
  const at::Tensor ids = at::zeros({3, 16}, at::kLong);
  EXPECT_EQ(flops_of({.name = "char-gpt", .width = 24, .layers = 2, .heads = 4}, text, ids),
            golden("char-gpt"));
}

TEST(FlopCount, CountsAnOperatorOnceThatAutocastCallsAgain) {
  const at::Tensor left = at::ones({2, 3, 5}), right = at::ones({2, 5, 7});
  const double plain = counted([&] { at::bmm(left, right); });
  EXPECT_EQ(plain, 2.0 * 2 * 3 * 5 * 7);
  at::autocast::set_autocast_enabled(at::kCPU, true);
  const double again = counted([&] { at::bmm(left, right); });
  at::autocast::set_autocast_enabled(at::kCPU, false);
  EXPECT_EQ(again, plain);
}

TEST(FlopCount, LeavesNoCallbackBehind) {
  counted([] { at::mm(at::ones({2, 2}), at::ones({2, 2})); });
  EXPECT_FALSE(at::hasThreadLocalCallbacks());
  EXPECT_FALSE(at::hasGlobalCallbacks());
}

}  // namespace
}  // namespace lockstep
