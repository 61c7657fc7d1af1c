// Data-parallel training of one model on all ranks of a group, as Python's DistributedDataParallel
// does it: every rank computes a part of the batch, and after the backward pass every rank holds
// the gradient of the whole batch.
#pragma once

#include <ATen/core/Tensor.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "trainer/config/ddp_config.h"
#include "trainer/group/group.h"

namespace torch::nn {
class Module;
}

namespace c10d {
class Logger;
}

namespace lockstep {

class FixedReducer;

// A training step is
//   ddp.zero_grad();
//   scores = ddp.forward([&] { return model->forward(images); });  // (all) takes rank 0's buffers
//   loss_of(scores, labels).backward();                            // (all) averages gradients
// where the loss is the mean over this rank's part and all parts are equally large. To accumulate
// gradients over several batches, all but the last of them take forward_no_sync(), whose backward
// pass talks to nobody. Where one backward pass follows several passes through the model (two views
// of a picture, a network against another), all of these belong into one forward().
//
// Gradients are reduced in buckets while the backward pass still runs. A bucket's layout is part of
// the arithmetic (the order of a reduction depends on the position in its bucket), so it is a pure
// function of the parameters' sizes and never changes, unless config.rebuild_buckets asks for
// Python's way, where it follows the order observed in the first step.
//
// Threads: one. Errors of the collectives as in Group.
class DistributedDataParallel {
 public:
  using Forward = std::function<at::Tensor()>;

  // (all) Gives all ranks the parameters and buffers of rank 0. `model` is on group.device() and in
  // its final memory format already; its parameters stay the same tensors from now on. `group`
  // outlives this. Throws std::invalid_argument, naming rank and parameter, when names, shapes,
  // types or requires_grad differ between ranks.
  DistributedDataParallel(std::shared_ptr<torch::nn::Module> model, Group& group,
                          const DdpConfig& config);
  ~DistributedDataParallel();

  // (all) What `forward` returns, ready for one backward pass. Throws std::invalid_argument with
  // their names when parameters took no part in the step before and config.find_unused is off.
  at::Tensor forward(const Forward& forward);

  // The same, for a backward pass that only adds to this rank's own gradients.
  at::Tensor forward_no_sync(const Forward& forward);

  // Drops the gradients of the last step.
  void zero_grad();

  // To be asked right after the backward pass: how long this step has waited for other ranks, in
  // forward() for their buffers and, since the last gradient was computed here, for theirs. Empty
  // on an accelerator, where the host waits for nothing.
  std::optional<std::chrono::nanoseconds> time_waited() const;

  // (all) Gives every rank the buffers of rank 0: before anything that reads them, like evaluation.
  void synchronize_buffers();

 private:
  using Clock = std::chrono::steady_clock;

  void require_equal_models() const;
  void begin_step();
  void require_finished_step();
  void reduce_after_first_backward(const at::Tensor& result);

  std::shared_ptr<torch::nn::Module> model_;
  Group& group_;
  DdpConfig config_;
  std::vector<at::Tensor> parameters_;     // those that are trained
  std::vector<std::string> names_;         // of parameters_
  std::vector<std::string> unused_;        // in the step before
  std::shared_ptr<FixedReducer> reducer_;  // null when the group has one rank
  std::shared_ptr<c10d::Logger> logger_;   // that the reducer tells
  bool is_step_begun_ = false;
  bool is_graph_known_ = false;  // of a static graph
  Clock::duration buffers_waited_{};
  Clock::time_point backward_began_{};
};

}  // namespace lockstep
