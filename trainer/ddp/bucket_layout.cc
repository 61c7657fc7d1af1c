// Packs parameters into buckets by their sizes alone.
#include "trainer/ddp/bucket_layout.h"

namespace lockstep {
namespace {

constexpr double kMib = 1024 * 1024;

}  // namespace

std::vector<std::vector<std::size_t>> bucket_layout(const std::vector<std::size_t>& sizes,
                                                    const DdpConfig& config) {
  std::vector<std::vector<std::size_t>> buckets;
  double filled = 0;
  double limit = 0;  // of the open bucket; none is open yet
  for (std::size_t index = sizes.size(); index-- > 0;) {
    if (filled >= limit) {
      limit = kMib * (buckets.empty() ? config.first_bucket_mib : config.bucket_mib);
      filled = 0;
      buckets.emplace_back();
    }
    buckets.back().push_back(index);
    filled += static_cast<double>(sizes[index]);
  }
  return buckets;
}

}  // namespace lockstep
