// From an error to the exit code that tells launcher and operator what to do about it.
#pragma once

#include <exception>

namespace lockstep {

// One of contract.h: 64 for std::invalid_argument, 65 BadData, 71 Diverged, 74 StorageError, 75
// when is_peer_loss(), else 70.
int exit_code_of(const std::exception& error);

}  // namespace lockstep
