// Stands in for nccl.cc in a build without CUDA.
#include <stdexcept>

#include "trainer/group/backend.h"

namespace lockstep {

const bool kHasNccl = false;

std::unique_ptr<Group> make_nccl(std::unique_ptr<Rendezvous>) {
  throw std::logic_error("choose_backend picked NCCL, which this build does not have");
}

}  // namespace lockstep
