// Faults of storage, made by standing in for the C library's calls in this test program: the code
// under test has no hooks. A "change" is one call that alters files or directories, or one that
// makes them durable.
#pragma once

namespace lockstep::testing {

struct StorageFaults {
  // The process dies by SIGKILL instead of making its n-th change from now (a write half makes it).
  // As after a power loss, what was written and not synced is gone.
  static void die_at_change(long n);

  // The n-th change from now fails with this errno value.
  static void fail_at_change(long n, int error);

  // Each write takes a few bytes only, and every second one is interrupted first.
  static void shorten_writes();

  // No more faults; the number of changes made since the last call above.
  static long stop();
};

}  // namespace lockstep::testing
