// The exit-code table.
#include "operator/plan/exit_codes.h"

#include "trainer/contract.h"

namespace lockstep {
namespace {

constexpr int kNotExecutable = 126;
constexpr int kNotFound = 127;
constexpr int kRuntimeError = 128;  // containerd could not start the command
constexpr int kKilled = 137;        // 128 + SIGKILL
constexpr int kTerminated = 143;    // 128 + SIGTERM

}  // namespace

ExitMeaning meaning_of(const ContainerState::Terminated& end) {
  switch (end.exit_code) {
    case contract::kExitUsage:
    case contract::kExitBadData:
    case contract::kExitDiverged:
    case kNotExecutable:
    case kNotFound:
      return ExitMeaning::kPermanent;
    case kRuntimeError:
      return end.reason == "StartError" ? ExitMeaning::kPermanent : ExitMeaning::kFailure;
    case contract::kExitPeerLost:
    case contract::kExitStopped:
    case kTerminated:
      return ExitMeaning::kFollowOn;
    case kKilled:
      // Out of memory is the program's own doing.
      return end.reason == "OOMKilled" ? ExitMeaning::kFailure : ExitMeaning::kFollowOn;
    default:
      return ExitMeaning::kFailure;
  }
}

}  // namespace lockstep
