// What one rank does in the group tests: `lockstep-scenarios NAME`, one process a rank.
#include <cstdio>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>

#include "trainer/ddp/distributed_data_parallel.h"
#include "trainer/group/group.h"
#include "trainer/group/peer_lost.h"
#include "trainer/log_line.h"
#include "trainer/torch.h"

namespace lockstep {
namespace {

void require(bool holds, const std::string& claim) {
  if (!holds) throw std::logic_error("it does not hold that " + claim);
}

void collectives(Group& group) {
  const int size = group.size();
  const at::Tensor sum = at::full({5}, group.rank() + 1, at::kDouble);
  group.all_reduce(sum);
  require(sum.eq(size * (size + 1) / 2).all().item<bool>(), "an all-reduce sums over the ranks");

  const std::vector<at::Tensor> tensors{at::full({3}, group.rank(), at::kFloat),
                                        at::full({}, 10 + group.rank(), at::kLong)};
  group.broadcast(tensors);
  require(tensors[0].eq(0).all().item<bool>() && tensors[1].item<int>() == 10,
          "a broadcast brings the tensors of rank 0, whatever their types");

  require(any(group, group.rank() == size - 1), "any sees the last rank");
  require(!any(group, false), "any is false when all are");
  group.barrier();
}

void votes(Group& group) {
  for (int call = 0; call < 6; ++call) {
    const bool asked = group.any_asked(call == 2 && group.rank() == group.size() - 1);
    require(asked == (call == 3), "a vote is heard by all, one call later");
  }
}

// The same training with gradients averaged by hand after the backward pass: one flat tensor for
// each bucket, all-reduced in the reducer's order.
class FlatBuckets {
 public:
  FlatBuckets(std::shared_ptr<Model> model, Group& group, const DdpConfig& config)
      : parameters_(model->parameters()), group_(group) {
    std::vector<std::size_t> sizes;
    for (const at::Tensor& parameter : parameters_) sizes.push_back(parameter.nbytes());
    layout_ = bucket_layout(sizes, config);
  }

  void average() {
    for (const auto& bucket : layout_) {
      std::vector<at::Tensor> pieces;
      for (const std::size_t index : bucket) pieces.push_back(parameters_[index].grad().flatten());
      const at::Tensor flat = at::cat(pieces).mul_(1.0 / group_.size());
      group_.all_reduce(flat);
      std::int64_t start = 0;
      for (const std::size_t index : bucket) {
        at::Tensor& gradient = parameters_[index].mutable_grad();
        gradient.copy_(flat.narrow(0, start, gradient.numel()).view_as(gradient));
        start += gradient.numel();
      }
    }
  }

  std::size_t bucket_count() const { return layout_.size(); }

 private:
  std::vector<at::Tensor> parameters_;
  Group& group_;
  std::vector<std::vector<std::size_t>> layout_;
};

void descend(const Model& model) {
  const at::NoGradGuard no_grad;
  for (at::Tensor& parameter : model.parameters()) {
    parameter.sub_(parameter.grad(), 0.1);
    parameter.mutable_grad().reset();
  }
}

at::Tensor own_images(const Group& group, int step) {
  torch::manual_seed(static_cast<std::uint64_t>(1000 * step + group.rank()));
  return torch::randn({6, 1, 28, 28});
}

at::Tensor loss_of(const at::Tensor& scores) { return scores.pow(2).mean(); }

void oracle(Group& group) {
  const ModelConfig mlp{.name = "mlp", .hidden = {90, 40, 30}};
  const DdpConfig config{.first_bucket_mib = 0.002, .bucket_mib = 0.01};
  const auto model = make_model(mlp, {}, static_cast<std::uint64_t>(group.rank()));
  const auto reference = make_model(mlp, {}, 0);
  DistributedDataParallel ddp(model, group, config);
  FlatBuckets by_hand(reference, group, config);
  require(by_hand.bucket_count() > 2, "the model fills several buckets");
  double largest = 0;
  for (int step = 0; step < 5; ++step) {
    const at::Tensor images = own_images(group, step);
    loss_of(ddp.forward(images)).backward();
    loss_of(reference->forward(images)).backward();
    by_hand.average();
    descend(*model);
    descend(*reference);
    for (std::size_t i = 0; i < model->parameters().size(); ++i) {
      const at::Tensor difference = model->parameters()[i] - reference->parameters()[i];
      largest = std::max(largest, difference.abs().max().item<double>());
    }
  }
  if (group.rank() == 0) log_line("largest difference " + std::to_string(largest));
  require(largest == 0, "reducer and flat buckets agree bit for bit");
}

void buffers(Group& group) {
  const auto model = make_model({.name = "lenet"}, {}, 1);
  DistributedDataParallel ddp(model, group, {});
  for (const at::Tensor& buffer : model->buffers()) buffer.fill_(group.rank() + 1);
  ddp.synchronize_buffers();
  for (const at::Tensor& buffer : model->buffers()) {
    require(buffer.eq(1).all().item<bool>(), "every rank has the buffers of rank 0");
  }
}

// The model with buffers waits for those of the late rank, the other one for its gradients.
void waits(Group& group) {
  const std::chrono::milliseconds late(300), much(200);
  const bool is_late = group.rank() == 0;
  for (const std::string model : {"mlp", "lenet"}) {
    DistributedDataParallel ddp(make_model({.name = model}, {}, 1), group, {});
    std::chrono::nanoseconds waited{};
    for (int step = 0; step < 3; ++step) {
      ddp.zero_grad();
      if (is_late) std::this_thread::sleep_for(late);
      loss_of(ddp.forward(own_images(group, step))).backward();
      if (step > 0) waited += *ddp.time_waited();
    }
    if (is_late) require(waited < much, "the late rank waits for nobody");
    if (!is_late) require(waited > 2 * much, "the others wait for the late rank");
  }
}

void unequal_models(Group& group) {
  const ModelConfig config{.name = "mlp", .hidden = {8 + group.rank()}};
  DistributedDataParallel ddp(make_model(config, {}, 1), group, {});
}

void lost_in_all_reduce(Group& group) {
  group.all_reduce(at::zeros({1}));  // all are connected
  if (group.rank() == 1) std::_Exit(9);
  for (;;) group.all_reduce(at::zeros({1000}));
}

void lost_in_backward(Group& group) {
  const auto model = make_model({.name = "mlp"}, {}, 1);
  DistributedDataParallel ddp(model, group, {});
  for (int step = 0;; ++step) {
    if (group.rank() == 1 && step == 2) std::_Exit(9);
    ddp.zero_grad();
    loss_of(ddp.forward(own_images(group, step))).backward();
  }
}

void nothing(Group&) {}

const std::map<std::string, void (*)(Group&)> kScenarios = {
    {"collectives", collectives},
    {"votes", votes},
    {"oracle", oracle},
    {"buffers", buffers},
    {"waits", waits},
    {"unequal_models", unequal_models},
    {"lost_in_all_reduce", lost_in_all_reduce},
    {"lost_in_backward", lost_in_backward},
    {"nothing", nothing}};

}  // namespace
}  // namespace lockstep

int main(int, char** argv) {
  using namespace lockstep;
  setenv("TORCH_CPP_LOG_LEVEL", "ERROR", 1);
  try {
    const auto group = join_group(place_in(variable), "gloo");
    kScenarios.at(argv[1])(*group);
    group->leave();
    return 0;
  } catch (const std::exception& error) {
    log_line(sentence_of(error));
    std::_Exit(is_peer_loss(error)                                  ? 75
               : dynamic_cast<const std::invalid_argument*>(&error) ? 64
                                                                    : 1);
  }
}
