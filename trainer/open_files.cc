// getrlimit and setrlimit; see open_files.h.
#include "trainer/open_files.h"

#include <sys/resource.h>

namespace lockstep {

OpenFilesLimit open_files_limit() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  return {limit.rlim_cur, limit.rlim_max};
}

void raise_open_files_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace lockstep
