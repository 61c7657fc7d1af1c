// Data-parallel training of one model on all ranks of a group, as Python's DistributedDataParallel
// does it: every rank computes a part of the batch, and after the backward pass every rank holds
// the gradient of the whole batch.
#pragma once

#include <ATen/core/Tensor.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "trainer/config/config.h"
#include "trainer/group/group.h"
#include "trainer/model/model.h"

namespace c10d {
class Reducer;
}

namespace lockstep {

// A training step is
//   ddp.zero_grad();
//   loss = loss_of(ddp.forward(images), labels);   // (all) buffers become those of rank 0
//   loss.backward();                               // (all) gradients are averaged meanwhile
// where `loss` is the mean over this rank's part and all parts are equally large.
//
// Gradients are reduced in buckets while the backward pass still runs. A bucket's layout is part of
// the arithmetic (the order of a reduction depends on the position in its bucket), so it is a pure
// function of the parameters' sizes and never changes, unless config.rebuild_buckets asks for
// Python's way, where it follows the order observed in the first step.
//
// Threads: one. Errors of the collectives as in Group.
class DistributedDataParallel {
 public:
  // (all) Checks that parameters have the same shapes on every rank, then gives all ranks the
  // parameters and buffers of rank 0. `model` is on group.device() already; `group` outlives this.
  DistributedDataParallel(std::shared_ptr<Model> model, Group& group, const DdpConfig& config);
  ~DistributedDataParallel();

  // (all) Scores of this rank's images, ready for one backward pass.
  at::Tensor forward(const at::Tensor& images);

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

  std::shared_ptr<Model> model_;
  Group& group_;
  DdpConfig config_;
  std::vector<at::Tensor> parameters_;
  std::unique_ptr<c10d::Reducer> reducer_;  // null when the group has one rank
  Clock::duration buffers_waited_{};
  Clock::time_point backward_began_{};
};

// The parameters (by position in `sizes`, bytes) of each bucket, in the order in which buckets are
// reduced: from the last registered parameter to the first, since the backward pass runs that way.
// The first bucket is small so that communication starts early. A parameter is never cut.
std::vector<std::vector<std::size_t>> bucket_layout(const std::vector<std::size_t>& sizes,
                                                    const DdpConfig& config);

}  // namespace lockstep
