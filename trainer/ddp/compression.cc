// One hook for both types.
#include "trainer/ddp/compression.h"

#include "trainer/torch.h"

namespace lockstep {
namespace {

using Group = c10::intrusive_ptr<c10d::ProcessGroup>;
using c10::ivalue::Future;

class Compression : public c10d::CppCommHookInterface<Group> {
 public:
  Compression(at::ScalarType type, Group group)
      : CppCommHookInterface(std::move(group)), type_(type) {}

  c10::intrusive_ptr<Future> runHook(c10d::GradBucket& bucket) override {
    const at::Tensor full = bucket.getBufferRef();
    std::vector<at::Tensor> small{full.to(type_).div_(state_->getSize())};
    const auto reduced = state_->allreduce(small)->getFuture();
    return reduced->then(
        [full](Future& future) { return full.copy_(future.value().toTensorVector().front()); },
        c10::TensorType::get());
  }

 private:
  at::ScalarType type_;
};

}  // namespace

std::unique_ptr<c10d::CommHookInterface> compression_hook(const std::string& type, Group group) {
  return std::make_unique<Compression>(type == "fp16" ? at::kHalf : at::kBFloat16,
                                       std::move(group));
}

}  // namespace lockstep
