// Tells lost peers from other errors by their type.
#include "trainer/group/peer_lost.h"

#include <gloo/common/error.h>

#include "trainer/torch.h"

namespace lockstep {

bool is_peer_loss(const std::exception& error) {
  return dynamic_cast<const PeerLost*>(&error) || dynamic_cast<const c10::DistError*>(&error) ||
         dynamic_cast<const gloo::Exception*>(&error);
}

}  // namespace lockstep
