// Gradients that travel between ranks in half the bits.
#pragma once

#include <memory>
#include <string>
#include <torch/csrc/distributed/c10d/comm.hpp>

namespace c10d {
class ProcessGroup;
}

namespace lockstep {

// The hook that c10d::Reducer calls for each full bucket: it divides by the number of ranks, sends
// the bucket as `type` (fp16 or bf16), and puts the sum back in the bucket's own type. As Python's
// fp16_compress_hook and bf16_compress_hook.
std::unique_ptr<c10d::CommHookInterface> compression_hook(
    const std::string& type, c10::intrusive_ptr<c10d::ProcessGroup> group);

}  // namespace lockstep
