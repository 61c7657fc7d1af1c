// The permutation torch.randperm gives, without torch, so that sampling stays pure and testable.
#pragma once

#include <cstdint>
#include <vector>

namespace lockstep {

// 0..size-1 in the order of torch.randperm(size, generator=torch.Generator().manual_seed(seed)) on
// the CPU. Like torch's CPU generator it uses only the low 32 bits of the seed. Throws
// invalid_argument when size < 0.
std::vector<std::int64_t> random_permutation(std::int64_t size, std::uint64_t seed);

}  // namespace lockstep
