// Drives c10d::Reducer, the engine of Python's DistributedDataParallel.
#include "trainer/ddp/distributed_data_parallel.h"

#include <torch/csrc/autograd/engine.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <torch/csrc/distributed/c10d/logger.hpp>

#include "trainer/ddp/bucket_layout.h"
#include "trainer/ddp/compression.h"
#include "trainer/ddp/fixed_reducer.h"
#include "trainer/torch.h"

namespace lockstep {
namespace {

constexpr double kMib = 1024 * 1024;

std::vector<at::Tensor> trained_parameters(const torch::nn::Module& model) {
  std::vector<at::Tensor> parameters = model.parameters();
  std::erase_if(parameters, [](const at::Tensor& tensor) { return !tensor.requires_grad(); });
  return parameters;
}

std::vector<std::vector<std::size_t>> initial_buckets(const std::vector<at::Tensor>& parameters,
                                                      const DdpConfig& config) {
  if (config.rebuild_buckets) {  // one bucket, until the first step has shown the order
    std::vector<std::size_t> all(parameters.size());
    std::iota(all.rbegin(), all.rend(), 0);
    return {all};
  }
  std::vector<std::size_t> sizes;
  for (const at::Tensor& parameter : parameters) sizes.push_back(parameter.nbytes());
  return bucket_layout(sizes, config);
}

std::vector<std::string> names_of(const torch::nn::Module& model) {
  std::vector<std::string> names;
  for (const auto& parameter : model.named_parameters()) {
    if (parameter.value().requires_grad()) names.push_back(parameter.key());
  }
  return names;
}

std::unordered_map<std::size_t, std::string> numbered(const std::vector<std::string>& names) {
  std::unordered_map<std::size_t, std::string> result;
  for (const std::string& name : names) result.emplace(result.size(), name);
  return result;
}

std::shared_ptr<FixedReducer> make_reducer(const std::vector<std::string>& names,
                                           const std::vector<at::Tensor>& parameters,
                                           const Group& group, const DdpConfig& config) {
  auto reducer = std::make_shared<FixedReducer>(
      parameters, initial_buckets(parameters, config), group.process_group(),
      /*expect_sparse_gradients=*/std::vector<bool>(parameters.size(), false),
      /*bucket_bytes_cap=*/static_cast<std::int64_t>(config.bucket_mib * kMib), config.find_unused,
      /*gradient_as_bucket_view=*/true, numbered(names),
      /*first_bucket_bytes_cap=*/static_cast<std::int64_t>(config.first_bucket_mib * kMib),
      /*skip_all_reduce_unused_params=*/false, /*use_python_reducer=*/false,
      /*bucket_bytes_cap_list=*/std::vector<std::int64_t>{});
  if (config.static_graph) reducer->set_static_graph();
  if (!config.rebuild_buckets) reducer->keep_layout();
  if (config.compress != "none") {
    reducer->register_comm_hook(compression_hook(config.compress, group.process_group()));
  }
  return reducer;
}

std::string joined(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 10;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMost); ++i) {
    text += (i > 0 ? ", " : "") + names[i];
  }
  const std::size_t more = names.size() - std::min(names.size(), kMost);
  return more > 0 ? text + " and " + std::to_string(more) + " more" : text;
}

}  // namespace

DistributedDataParallel::DistributedDataParallel(std::shared_ptr<torch::nn::Module> model,
                                                 Group& group, const DdpConfig& config)
    : model_(std::move(model)),
      group_(group),
      config_(config),
      parameters_(trained_parameters(*model_)),
      names_(names_of(*model_)) {
  if (group.size() == 1) return;
  require_equal_models();
  group.broadcast(model_->parameters());
  synchronize_buffers();
  reducer_ = make_reducer(names_, parameters_, group, config);
  // A reducer that searches for unused parameters tells its logger, and crashes without one.
  logger_ = std::make_shared<c10d::Logger>(reducer_);
  reducer_->set_logger(logger_);
}

DistributedDataParallel::~DistributedDataParallel() = default;

void DistributedDataParallel::require_equal_models() const {
  std::string list;
  for (const auto& parameter : model_->named_parameters()) {
    const at::Tensor& value = parameter.value();
    list += parameter.key() + " " + at::toString(value.scalar_type()) + " " +
            c10::str(value.sizes()) + (value.requires_grad() ? "\n" : " frozen\n");
  }
  if (const auto sentence = group_.disagreement("model", list)) {
    throw std::invalid_argument(*sentence + "; build the same model on every rank");
  }
}

at::Tensor DistributedDataParallel::forward(const Forward& forward) {
  if (!reducer_) return forward();
  begin_step();
  reducer_->prepare_for_forward();
  const at::Tensor result = forward();
  reducer_->prepare_for_backward(config_.find_unused ? std::vector<at::Tensor>{result}
                                                     : std::vector<at::Tensor>{});
  if (config_.static_graph) reduce_after_first_backward(result);
  backward_began_ = Clock::now();
  is_step_begun_ = false;
  return result;
}

// Of a static graph the first pass only shows which parameters come how often: its gradients are
// reduced when it is over, if the caller sees to that.
void DistributedDataParallel::reduce_after_first_backward(const at::Tensor& result) {
  if (std::exchange(is_graph_known_, true)) return;
  result.register_hook([reducer = reducer_](const at::Tensor&) {
    torch::autograd::Engine::get_default_engine().queue_callback(
        [reducer] { reducer->delay_all_reduce(); });
  });
}

at::Tensor DistributedDataParallel::forward_no_sync(const Forward& forward) {
  if (reducer_) begin_step();
  return forward();
}

// Once a step, before its first batch.
void DistributedDataParallel::begin_step() {
  if (is_step_begun_) return;
  is_step_begun_ = true;
  require_finished_step();
  const Clock::time_point began = Clock::now();
  synchronize_buffers();
  buffers_waited_ = Clock::now() - began;
}

// Rebuilding is where the reducer notices that the step before has left parameters out, whether or
// not there is anything to rebuild. It does not say which.
void DistributedDataParallel::require_finished_step() {
  try {
    reducer_->rebuild_buckets();
  } catch (const c10::Error&) {
    if (unused_.empty()) throw;
    throw std::invalid_argument("the last step did not use " + joined(unused_) +
                                ": write ddp.find_unused: true, or take them out of the model");
  }
}

// The reducer notes when each gradient was ready, counted from prepare_for_backward(). What is left
// of the pass after the last of them is the wait for buckets.
std::optional<std::chrono::nanoseconds> DistributedDataParallel::time_waited() const {
  using std::chrono::nanoseconds;
  if (!group_.device().is_cpu()) return std::nullopt;
  if (!reducer_) return nanoseconds(0);
  const nanoseconds passed = Clock::now() - backward_began_;
  const std::vector<std::int64_t> ready = reducer_->get_backward_stats();
  const nanoseconds computed(*std::max_element(ready.begin(), ready.end()));
  return buffers_waited_ + std::clamp(passed - computed, nanoseconds(0), passed);
}

// Dropping is not only cheaper than filling with zeros. The reducer multiplies a fresh gradient by
// 1 / size but divides one that is kept, which rounds differently: the first step after a resume
// would not equal the same step of an undisturbed run.
void DistributedDataParallel::zero_grad() {
  unused_.clear();
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (!parameters_[i].grad().defined()) unused_.push_back(names_[i]);
    parameters_[i].mutable_grad().reset();
  }
}

void DistributedDataParallel::synchronize_buffers() {
  RECORD_USER_SCOPE("buffers");  // traces show it
  const std::vector<at::Tensor> buffers = model_->buffers();
  if (!buffers.empty()) group_.broadcast(buffers);
}

}  // namespace lockstep
