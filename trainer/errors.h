// The trainer's own exceptions, one for each exit code that neither invalid_argument (64) nor
// runtime_error (70) says.
#pragma once

#include <stdexcept>

namespace lockstep {

// A data file is missing, damaged or of another kind: repeating cannot help
// (contract::kExitBadData).
class BadData : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Checkpoint storage refuses to read or write, or belongs to a newer writer
// (contract::kExitStorage).
class StorageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The file is not there, or something else has its name: the storage itself works.
class AbsentFile : public StorageError {
 public:
  using StorageError::StorageError;
};

// The loss is no longer a number: training on cannot help (contract::kExitDiverged).
class Diverged : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace lockstep
