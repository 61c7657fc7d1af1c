// How gradients are averaged over the ranks. See trainer/ddp.
#pragma once

#include <string>

namespace lockstep {

struct DdpConfig {
  double first_bucket_mib = 1.0;
  double bucket_mib = 25.0;
  bool find_unused = false;       // look for parameters that took no part in a step
  bool rebuild_buckets = false;   // Python's way: buckets follow the observed order after step 1
  bool static_graph = false;      // every step uses the same parameters in the same way
  std::string compress = "none";  // none | fp16 | bf16: the type in which gradients travel
};

}  // namespace lockstep
