// Stands in for cuda.cc in a build without CUDA.
#include "trainer/doctor/device.h"

namespace lockstep {

std::vector<Finding> cuda_findings(int) { return {}; }

}  // namespace lockstep
