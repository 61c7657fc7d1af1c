// The processes that train together, as one value: who am I, and what can we do in common.
#pragma once

#include <ATen/core/Tensor.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "trainer/group/place.h"

namespace c10d {
class ProcessGroup;
}

namespace lockstep {

// Every method below rank(), size() and device() is a collective: all ranks call it, in the same
// order, and it returns when this rank's part is done.
// Errors: an error for which is_peer_loss() holds when another rank is gone.
// Threads: one thread, except that a backward pass may run while no method does.
class Group {
 public:
  virtual ~Group() = default;
  int rank() const { return rank_; }
  int size() const { return size_; }
  at::Device device() const { return device_; }  // where this rank's tensors live

  // Adds `values`, in place, over the ranks.
  virtual void all_reduce(at::Tensor values) = 0;
  // Overwrites `tensors` with those of rank 0.
  virtual void broadcast(const std::vector<at::Tensor>& tensors) = 0;
  virtual void barrier() = 0;

  // Whether any rank has said true at an earlier call; the same answer on every rank, at the same
  // call, once. What is said is heard within some 50 ms, at the next call where calls are slower.
  // The votes travel on a CPU group of their own while a step is computed: no device waits.
  virtual bool any_asked(bool mine) = 0;

  // Compares `value` over the ranks. The sentence that names a rank which differs from rank 0, the
  // first line of `value` that does, and `what` it is; nothing when all are equal.
  virtual std::optional<std::string> disagreement(const std::string& what,
                                                  const std::string& value) = 0;

  // Not a collective. From here on a collective waits so long for a rank that does not come; at
  // first ten minutes. Ranks may differ.
  virtual void set_patience(std::chrono::seconds patience) = 0;

  // Not a collective, and the last call: after an error for which is_timeout() holds, while this
  // rank was `doing` ("step 17"). Who did not come, in one sentence; takes up to ten seconds.
  virtual std::string who_is_late(const std::string& doing) = 0;

  // The last call. Rank 0 stays until the others have left, since it keeps the common store.
  virtual void leave() = 0;

  // For the gradient reducer; null when size() is 1.
  virtual c10::intrusive_ptr<c10d::ProcessGroup> process_group() const = 0;

 protected:
  Group(int rank, int size, at::Device device) : rank_(rank), size_(size), device_(device) {}

 private:
  int rank_;
  int size_;
  at::Device device_;
};

// Whether `mine` is true on any rank.
bool any(Group& group, bool mine);

// Where the tensors of this rank will live, before it has met the others. Throws as join_group.
at::Device device_of(const Place& place, const std::string& backend);

// Meets the other ranks and opens the back end. `backend` is auto, gloo or nccl: auto is nccl when
// there are CUDA devices and Gloo on the CPU otherwise, which rank 0 says.
// Throws std::invalid_argument when nccl is asked for and cannot be had, or when ranks disagree on
// the world size; PeerLost when they do not meet within place.startup.
std::unique_ptr<Group> join_group(const Place& place, const std::string& backend);

}  // namespace lockstep
