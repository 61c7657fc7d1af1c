// The table of exit codes.
#include "trainer/exit_code.h"

#include <stdexcept>

#include "trainer/contract.h"
#include "trainer/errors.h"
#include "trainer/group/peer_lost.h"

namespace lockstep {

int exit_code_of(const std::exception& error) {
  if (dynamic_cast<const std::invalid_argument*>(&error)) return contract::kExitUsage;
  if (dynamic_cast<const BadData*>(&error)) return contract::kExitBadData;
  if (dynamic_cast<const Diverged*>(&error)) return contract::kExitDiverged;
  if (dynamic_cast<const StorageError*>(&error)) return contract::kExitStorage;
  if (is_peer_loss(error)) return contract::kExitPeerLost;
  return contract::kExitInternal;
}

}  // namespace lockstep
