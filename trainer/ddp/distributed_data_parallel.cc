// Drives c10d::Reducer, the engine of Python's DistributedDataParallel.
#include "trainer/ddp/distributed_data_parallel.h"

#include <algorithm>
#include <numeric>

#include "trainer/torch.h"

namespace lockstep {
namespace {

constexpr double kMib = 1024 * 1024;

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

std::unordered_map<std::size_t, std::string> names_of(const Model& model) {
  std::unordered_map<std::size_t, std::string> names;
  for (const auto& parameter : model.named_parameters()) {
    names.emplace(names.size(), parameter.key());
  }
  return names;
}

std::unique_ptr<c10d::Reducer> make_reducer(const Model& model, const Group& group,
                                            const std::vector<at::Tensor>& parameters,
                                            const DdpConfig& config) {
  return std::make_unique<c10d::Reducer>(
      parameters, initial_buckets(parameters, config), group.process_group(),
      /*expect_sparse_gradients=*/std::vector<bool>(parameters.size(), false),
      /*bucket_bytes_cap=*/static_cast<std::int64_t>(config.bucket_mib * kMib), config.find_unused,
      /*gradient_as_bucket_view=*/true, names_of(model),
      /*first_bucket_bytes_cap=*/static_cast<std::int64_t>(config.first_bucket_mib * kMib),
      /*skip_all_reduce_unused_params=*/false, /*use_python_reducer=*/false,
      /*bucket_bytes_cap_list=*/std::vector<std::int64_t>{});
}

}  // namespace

DistributedDataParallel::DistributedDataParallel(std::shared_ptr<Model> model, Group& group,
                                                 const DdpConfig& config)
    : model_(std::move(model)), group_(group), config_(config), parameters_(model_->parameters()) {
  if (group.size() == 1) return;
  c10d::verify_params_across_processes(group.process_group(), parameters_, std::nullopt);
  group.broadcast(parameters_);
  synchronize_buffers();
  reducer_ = make_reducer(*model_, group, parameters_, config);
}

DistributedDataParallel::~DistributedDataParallel() = default;

at::Tensor DistributedDataParallel::forward(const at::Tensor& images) {
  if (!reducer_) return model_->forward(images);
  reducer_->prepare_for_forward();
  if (config_.rebuild_buckets && reducer_->should_rebuild_buckets()) reducer_->rebuild_buckets();
  const Clock::time_point began = Clock::now();
  synchronize_buffers();
  buffers_waited_ = Clock::now() - began;
  const at::Tensor scores = model_->forward(images);
  reducer_->prepare_for_backward(config_.find_unused ? std::vector<at::Tensor>{scores}
                                                     : std::vector<at::Tensor>{});
  backward_began_ = Clock::now();
  return scores;
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
  for (at::Tensor& parameter : parameters_) parameter.mutable_grad().reset();
}

void DistributedDataParallel::synchronize_buffers() {
  const std::vector<at::Tensor> buffers = model_->buffers();
  if (!buffers.empty()) group_.broadcast(buffers);
}

}  // namespace lockstep
