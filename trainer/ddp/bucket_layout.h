// How parameters are packed into the buckets that are reduced together. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "trainer/config/ddp_config.h"

namespace lockstep {

// The parameters (by position in `sizes`, bytes) of each bucket, in the order in which buckets are
// reduced: from the last registered parameter to the first, since the backward pass runs that way.
// The first bucket is small so that communication starts early. A parameter is never cut.
std::vector<std::vector<std::size_t>> bucket_layout(const std::vector<std::size_t>& sizes,
                                                    const DdpConfig& config);

}  // namespace lockstep
