// A group over c10d, shared by the Gloo and NCCL back ends.
#pragma once

#include <memory>

#include "trainer/group/ballot.h"
#include "trainer/group/group.h"
#include "trainer/group/rendezvous.h"
#include "trainer/torch.h"

namespace lockstep {

// Of every collective until set_patience(); longer than any step, evaluation or checkpoint. A peer
// that died shows at once, as a broken connection.
inline constexpr std::chrono::minutes kPatience{10};

class C10dGroup : public Group {
 public:
  // `process_group` carries the tensors of `device`; the CPU group for votes is opened here.
  C10dGroup(std::unique_ptr<Rendezvous> rendezvous, at::Device device,
            c10::intrusive_ptr<c10d::ProcessGroup> process_group);

  void all_reduce(at::Tensor values) override;
  void broadcast(const std::vector<at::Tensor>& tensors) override;
  void barrier() override;
  bool any_asked(bool mine) override { return ballot_.any_asked(mine); }
  std::optional<std::string> disagreement(const std::string& what,
                                          const std::string& value) override;
  void set_patience(std::chrono::seconds patience) override;
  std::string who_is_late(const std::string& doing) override;
  void leave() override;
  c10::intrusive_ptr<c10d::ProcessGroup> process_group() const override { return process_group_; }

 private:
  std::unique_ptr<Rendezvous> rendezvous_;  // first: its store outlives the groups that use it
  c10::intrusive_ptr<c10d::ProcessGroup> process_group_;
  c10::intrusive_ptr<c10d::Backend> control_;
  Ballot ballot_;
  std::chrono::seconds patience_ = kPatience;
};

// Opens a Gloo back end on the interface that leads to rank 0, or on GLOO_SOCKET_IFNAME.
c10::intrusive_ptr<c10d::Backend> open_gloo(const Rendezvous& rendezvous, const std::string& name);

// A c10d process group of one back end a device type.
c10::intrusive_ptr<c10d::ProcessGroup> make_process_group(const Rendezvous& rendezvous);

}  // namespace lockstep
