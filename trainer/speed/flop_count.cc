// A callback on every operator, for the length of a scope. An operator may be made of other counted
// ones (autocast calls bmm from bmm), so what runs inside a counted one is not counted again.
#include "trainer/speed/flop_count.h"

#include <torch/csrc/profiler/util.h>

#include <string_view>

#include "trainer/torch.h"

namespace lockstep {
namespace {

using Context = std::unique_ptr<at::ObserverContext>;

thread_local double* total = nullptr;
thread_local bool is_inside = false;  // of an operator that was counted

struct Inside : at::ObserverContext {};

bool is_known_to_torch(std::string_view name) {
  for (const char* known :
       {"aten::conv2d", "aten::mm", "aten::addmm", "aten::bmm", "aten::baddbmm"}) {
    if (name == known) return true;
  }
  return false;
}

// Query times key, and the weights times value: [..., queries, width], [..., keys, width].
double flops_of_attention(const at::RecordFunction& function) {
  const at::Tensor query = function.inputs()[0].toTensor(), value = function.inputs()[2].toTensor();
  const auto products = static_cast<double>(query.numel() / query.size(-1) * value.size(-2));
  return 2 * products * static_cast<double>(query.size(-1) + value.size(-1));
}

Context begin(const at::RecordFunction& function) {
  if (is_inside || !total) return nullptr;
  const std::string_view name = function.name();
  if (is_known_to_torch(name)) {
    using namespace torch::profiler::impl;
    *total += static_cast<double>(computeFlops(std::string(name), saveExtraArgs(function)));
  } else if (name == "aten::scaled_dot_product_attention") {
    *total += flops_of_attention(function);
  } else {
    return nullptr;
  }
  is_inside = true;
  return std::make_unique<Inside>();
}

void end(const at::RecordFunction&, at::ObserverContext* context) {
  if (context) is_inside = false;
}

}  // namespace

FlopCount::FlopCount(double* sum)
    : callback_(at::addThreadLocalCallback(at::RecordFunctionCallback(begin, end)
                                               .needsInputs(true)
                                               .scopes({at::RecordScope::FUNCTION}))) {
  total = sum;
}

FlopCount::~FlopCount() {
  at::removeCallback(callback_);
  total = nullptr;
}

}  // namespace lockstep
