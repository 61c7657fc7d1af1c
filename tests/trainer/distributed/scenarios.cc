// What one rank does in the group tests: `lockstep-scenarios NAME`, one process a rank.
#include <c10/util/Logging.h>
#include <malloc.h>
#include <torch/csrc/autograd/autograd.h>

#include <cstdio>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>

#include "trainer/ddp/bucket_layout.h"
#include "trainer/ddp/distributed_data_parallel.h"
#include "trainer/ddp/same_weights.h"
#include "trainer/group/group.h"
#include "trainer/group/peer_lost.h"
#include "trainer/log_line.h"
#include "trainer/model/registry.h"
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

  // Rank 0 comes late to the second time, when its first value is still there to be read.
  require(!group.disagreement("word", "first"), "equal values agree");
  if (group.rank() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(100));
  require(!group.disagreement("word", "second"), "the same thing is compared anew");
}

// At which call, from 0, this rank hears that the last rank asked at call `asks`; -1 for never.
int heard_at(Group& group, int calls, int asks, std::chrono::milliseconds pause) {
  int heard = -1;
  for (int call = 0; call < calls; ++call) {
    const bool mine = call == asks && group.rank() == group.size() - 1;
    if (group.any_asked(mine)) {
      require(heard < 0, "a vote is heard once");
      heard = call;
    }
    std::this_thread::sleep_for(pause);
  }
  return heard;
}

void votes(Group& group) {
  using std::chrono::milliseconds;
  const int slow = heard_at(group, 8, 3, milliseconds(50));
  require(slow >= 4 && slow <= 6, "where calls are slow a vote is heard at once");
  const int quick = heard_at(group, 5000, 2500, milliseconds(0));
  require(quick > 2500, "where calls are quick a vote is heard in the end");
  const at::Tensor sum = at::tensor({slow, quick}, at::kLong);
  group.all_reduce(sum);
  require(sum.equal(at::tensor({slow, quick}, at::kLong) * group.size()),
          "all ranks hear it at the same call");
}

// Throws who is late when not all ranks come to `collective` within a second.
void wait_a_second(Group& group, const std::string& doing,
                   const std::function<void()>& collective) {
  group.set_patience(std::chrono::seconds(1));
  try {
    collective();
  } catch (const std::exception& error) {
    if (!is_timeout(error)) throw;
    throw PeerLost(group.who_is_late(doing));
  }
}

void reduce_in_step_17(Group& group) {
  wait_a_second(group, "step 17", [&] { group.all_reduce(at::ones({5})); });
}

// Until the test ends this rank.
void stay_away() {
  log_line("ready");
  std::this_thread::sleep_for(std::chrono::minutes(1));
}

void last_stays_away(Group& group) {
  if (group.rank() == group.size() - 1) stay_away();
  reduce_in_step_17(group);
}

void first_stands_still(Group& group) {
  if (group.rank() == 0) stay_away();
  reduce_in_step_17(group);
}

void last_is_elsewhere(Group& group) {
  if (group.rank() < group.size() - 1) return reduce_in_step_17(group);
  wait_a_second(group, "the evaluation", [&] { group.barrier(); });
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

at::Tensor scores_of(Model& model, const at::Tensor& images) {
  return model.forward({.inputs = images, .targets = {}, .lengths = {}});
}

std::shared_ptr<Model> model_of(const ModelConfig& config, std::uint64_t seed = 1) {
  return make_model(config, {}, seed);
}

// A step of `ddp`, which averages the gradients of its model.
void step(DistributedDataParallel& ddp, Model& model, const at::Tensor& images) {
  ddp.zero_grad();
  loss_of(ddp.forward([&] { return scores_of(model, images); })).backward();
}

double largest_difference(const torch::nn::Module& one, const torch::nn::Module& other) {
  double largest = 0;
  for (std::size_t i = 0; i < one.parameters().size(); ++i) {
    const at::Tensor difference = one.parameters()[i] - other.parameters()[i];
    largest = std::max(largest, difference.abs().max().item<double>());
  }
  return largest;
}

double largest_gradient_difference(const Model& one, const Model& other) {
  double largest = 0;
  for (std::size_t i = 0; i < one.parameters().size(); ++i) {
    const at::Tensor difference = one.parameters()[i].grad() - other.parameters()[i].grad();
    largest = std::max(largest, difference.abs().max().item<double>());
  }
  return largest;
}

void oracle(Group& group) {
  const ModelConfig mlp{.name = "mlp", .hidden = {90, 40, 30}};
  const DdpConfig config{.first_bucket_mib = 0.002, .bucket_mib = 0.01};
  const auto model = model_of(mlp, static_cast<std::uint64_t>(group.rank()));
  const auto reference = model_of(mlp, 0);
  DistributedDataParallel ddp(model, group, config);
  FlatBuckets by_hand(reference, group, config);
  require(by_hand.bucket_count() > 2, "the model fills several buckets");
  double largest = 0;
  for (int round = 0; round < 5; ++round) {
    const at::Tensor images = own_images(group, round);
    step(ddp, *model, images);
    loss_of(scores_of(*reference, images)).backward();
    by_hand.average();
    descend(*model);
    descend(*reference);
    largest = std::max(largest, largest_difference(*model, *reference));
  }
  if (group.rank() == 0) log_line("largest difference " + std::to_string(largest));
  require(largest == 0, "reducer and flat buckets agree bit for bit");
}

void buffers(Group& group) {
  const auto model = model_of({.name = "lenet"});
  DistributedDataParallel ddp(model, group, {});
  for (const at::Tensor& buffer : model->buffers()) buffer.fill_(group.rank() + 1);
  ddp.synchronize_buffers();
  for (const at::Tensor& buffer : model->buffers()) {
    require(buffer.eq(1).all().item<bool>(), "every rank has the buffers of rank 0");
  }
}

// Its output depends on a buffer, which the gradient of the input needs unchanged.
class Scaled : public torch::nn::Module {
 public:
  Scaled() {
    layer = register_module("layer", torch::nn::Linear(4, 4));
    scale = register_buffer("scale", torch::ones({4}));
  }
  at::Tensor forward(const at::Tensor& x) { return layer->forward(x) * scale; }
  torch::nn::Linear layer{nullptr};
  at::Tensor scale;
};

// Both passes of a step have the buffers that rank 0 had at its beginning, and nothing writes to
// them before the backward pass is over.
void two_passes(Group& group) {
  torch::manual_seed(1);
  const auto model = std::make_shared<Scaled>();
  DistributedDataParallel ddp(model, group, {});
  for (int round = 0; round < 3; ++round) {
    const at::NoGradGuard no_grad;
    model->scale.fill_(1 + group.rank() + round);
    const at::Tensor left = at::ones({2, 4}) * (1 + group.rank()), right = left + 1;
    const at::AutoGradMode with_grad(true);
    ddp.zero_grad();
    loss_of(ddp.forward([&] {
      return at::cat({model->forward(left), model->forward(right)});
    })).backward();
    require(model->scale.eq(1 + round).all().item<bool>(), "a step has the buffers of rank 0");
    const at::Tensor own = loss_of(at::cat({model->forward(left), model->forward(right)}));
    const at::Tensor by_hand = torch::autograd::grad({own}, {model->layer->weight}).front();
    group.all_reduce(by_hand);
    require(at::allclose(by_hand / group.size(), model->layer->weight.grad()),
            "two passes give the mean gradient of both");
  }
}

// The model with buffers waits for those of the late rank, the other one for its gradients.
void waits(Group& group) {
  const std::chrono::milliseconds late(300), much(200);
  const bool is_late = group.rank() == 0;
  for (const std::string model : {"mlp", "lenet"}) {
    const auto module = model_of({.name = model});
    DistributedDataParallel ddp(module, group, {});
    std::chrono::nanoseconds waited{};
    for (int round = 0; round < 3; ++round) {
      if (is_late) std::this_thread::sleep_for(late);
      step(ddp, *module, own_images(group, round));
      if (round > 0) waited += *ddp.time_waited();
    }
    if (is_late) require(waited < much, "the late rank waits for nobody");
    if (!is_late) require(waited > 2 * much, "the others wait for the late rank");
  }
}

void unequal_models(Group& group) {
  const ModelConfig config{.name = "mlp", .hidden = {8 + group.rank()}};
  DistributedDataParallel ddp(model_of(config), group, {});
}

void lost_in_all_reduce(Group& group) {
  group.all_reduce(at::zeros({1}));  // all are connected
  if (group.rank() == 1) std::_Exit(9);
  for (;;) group.all_reduce(at::zeros({1000}));
}

void lost_in_backward(Group& group) {
  const auto model = model_of({.name = "mlp"});
  DistributedDataParallel ddp(model, group, {});
  for (int round = 0;; ++round) {
    if (group.rank() == 1 && round == 2) std::_Exit(9);
    step(ddp, *model, own_images(group, round));
  }
}

// Several batches a step, the last of them with exchange, against all of them as one batch.
void accumulation(Group& group) {
  for (const bool rebuild : {false, true}) {
    const auto model = model_of({.name = "mlp"}), whole = model_of({.name = "mlp"});
    DistributedDataParallel ddp(model, group, {.rebuild_buckets = rebuild});
    DistributedDataParallel ddp_whole(whole, group, {});
    for (int round = 0; round < 4; ++round) {
      const at::Tensor images = own_images(group, round);
      step(ddp_whole, *whole, images);
      ddp.zero_grad();
      const auto part = [&](int i) { return scores_of(*model, images.slice(0, 2 * i, 2 * i + 2)); };
      (loss_of(ddp.forward_no_sync([&] { return part(0); })) / 3).backward();
      (loss_of(ddp.forward_no_sync([&] { return part(1); })) / 3).backward();
      (loss_of(ddp.forward([&] { return part(2); })) / 3).backward();
      require(largest_gradient_difference(*model, *whole) < 1e-7,
              "three batches give the gradient of one three times as large");
      descend(*model);
      descend(*whole);
    }
  }
}

// Two layers, of which the second is used when told.
class Optional : public torch::nn::Module {
 public:
  Optional() {
    always = register_module("always", torch::nn::Linear(4, 4));
    sometimes = register_module("sometimes", torch::nn::Linear(4, 4));
  }
  at::Tensor forward(const at::Tensor& x, bool with_both) {
    const at::Tensor first = always->forward(x);
    return with_both ? sometimes->forward(first) : first;
  }
  torch::nn::Linear always{nullptr}, sometimes{nullptr};
};

void run_optional(Group& group, const DdpConfig& config) {
  const auto model = std::make_shared<Optional>();
  DistributedDataParallel ddp(model, group, config);
  for (int round = 0; round < 4; ++round) {
    ddp.zero_grad();
    const at::Tensor x = torch::ones({2, 4});
    loss_of(ddp.forward([&] { return model->forward(x, round % 2 == 0); })).backward();
  }
}

void unused(Group& group) { run_optional(group, {}); }
void unused_found(Group& group) { run_optional(group, {.find_unused = true}); }

// Gradients in 16 bits are near those in 32, and equal on all ranks.
void compression(Group& group) {
  for (const std::string type : {"fp16", "bf16"}) {
    const auto model = model_of({.name = "mlp"}), exact = model_of({.name = "mlp"});
    DistributedDataParallel ddp(model, group, {.compress = type});
    DistributedDataParallel ddp_exact(exact, group, {});
    for (int round = 0; round < 3; ++round) {
      const at::Tensor images = own_images(group, round);
      step(ddp, *model, images);
      step(ddp_exact, *exact, images);
      const at::Tensor gradient = model->parameters()[0].grad();
      const at::Tensor difference = gradient - exact->parameters()[0].grad();
      const double share = (difference.norm() / gradient.norm()).item<double>();
      require(share > 0 && share < (type == "fp16" ? 1e-3 : 1e-2), type + " rounds, but little");
      const at::Tensor largest = gradient.abs().sum().to(at::kDouble), sum = largest.clone();
      group.all_reduce(sum);
      require((sum / group.size() - largest).abs().item<double>() < 1e-12, "ranks stay equal");
    }
  }
}

void static_graph(Group& group) {
  const auto model = model_of({.name = "mlp"}), plain = model_of({.name = "mlp"});
  DistributedDataParallel ddp(model, group, {.static_graph = true});
  DistributedDataParallel ddp_plain(plain, group, {});
  for (int round = 0; round < 4; ++round) {
    const at::Tensor images = own_images(group, round);
    step(ddp, *model, images);
    step(ddp_plain, *plain, images);
    require(largest_gradient_difference(*model, *plain) < 1e-7, "a static graph changes nothing");
  }
}

// A reducer that may still rebuild its buckets would keep 16 bytes a parameter and step.
void steady_memory(Group& group) {
  const auto model = model_of({.name = "mlp", .hidden = std::vector<int>(50, 2)});
  DistributedDataParallel ddp(model, group, {});
  const at::Tensor images = torch::ones({1, 1, 28, 28});
  constexpr int kRounds = 1500;
  std::size_t before = 0;
  for (int round = 0; round < 2 * kRounds; ++round) {
    if (round == kRounds) before = mallinfo2().uordblks;
    step(ddp, *model, images);
  }
  const auto grown = static_cast<double>(mallinfo2().uordblks) - static_cast<double>(before);
  require(grown < 0.2 * kRounds * 16 * 102, "steps leave no memory behind");
}

void one_bit(Group& group) {
  const auto model = model_of({.name = "mlp", .hidden = {16, 16}});
  require_same_weights(*model, group, 1);
  const at::NoGradGuard no_grad;
  const bool is_last = group.rank() == group.size() - 1;
  if (is_last) model->parameters()[2].view(at::kInt)[3][5].bitwise_xor_(1);
  require_same_weights(*model, group, 2);
}

void nothing(Group&) {}

const std::map<std::string, void (*)(Group&)> kScenarios = {
    {"collectives", collectives},
    {"votes", votes},
    {"last_stays_away", last_stays_away},
    {"first_stands_still", first_stands_still},
    {"last_is_elsewhere", last_is_elsewhere},
    {"oracle", oracle},
    {"buffers", buffers},
    {"two_passes", two_passes},
    {"waits", waits},
    {"unequal_models", unequal_models},
    {"lost_in_all_reduce", lost_in_all_reduce},
    {"lost_in_backward", lost_in_backward},
    {"accumulation", accumulation},
    {"unused", unused},
    {"unused_found", unused_found},
    {"compression", compression},
    {"static_graph", static_graph},
    {"steady_memory", steady_memory},
    {"one_bit", one_bit},
    {"nothing", nothing}};

}  // namespace
}  // namespace lockstep

int main(int, char** argv) {
  using namespace lockstep;
  setenv("TORCH_CPP_LOG_LEVEL", "ERROR", 1);
  c10::initLogging();
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
