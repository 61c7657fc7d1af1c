// A group over c10d, shared by the Gloo and NCCL back ends.
#pragma once

#include <memory>

#include "trainer/group/group.h"
#include "trainer/group/rendezvous.h"
#include "trainer/torch.h"

namespace lockstep {

class C10dGroup : public Group {
 public:
  // `process_group` carries the tensors of `device`; the CPU group for votes is opened here.
  C10dGroup(std::unique_ptr<Rendezvous> rendezvous, at::Device device,
            c10::intrusive_ptr<c10d::ProcessGroup> process_group);

  void all_reduce(at::Tensor values) override;
  void broadcast(const std::vector<at::Tensor>& tensors) override;
  void barrier() override;
  bool any_asked(bool mine) override;
  std::optional<std::string> disagreement(const std::string& what,
                                          const std::string& value) override;
  void leave() override;
  c10::intrusive_ptr<c10d::ProcessGroup> process_group() const override { return process_group_; }

 private:
  bool last_vote();

  std::unique_ptr<Rendezvous> rendezvous_;  // first: its store outlives the groups that use it
  c10::intrusive_ptr<c10d::ProcessGroup> process_group_;
  c10::intrusive_ptr<c10d::Backend> control_;
  std::vector<at::Tensor> ballot_;
  c10::intrusive_ptr<c10d::Work> vote_;
};

// Opens a Gloo back end on the interface that leads to rank 0, or on GLOO_SOCKET_IFNAME.
c10::intrusive_ptr<c10d::Backend> open_gloo(const Rendezvous& rendezvous, const std::string& name);

// A c10d process group of one back end a device type.
c10::intrusive_ptr<c10d::ProcessGroup> make_process_group(const Rendezvous& rendezvous);

}  // namespace lockstep
