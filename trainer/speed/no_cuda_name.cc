// Stands in for cuda_name.cc in a build without CUDA.
#include "trainer/speed/cuda_name.h"

namespace lockstep {

std::string cuda_name(at::Device) { return ""; }

}  // namespace lockstep
