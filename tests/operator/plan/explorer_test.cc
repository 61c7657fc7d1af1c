// The promises of decide() over all histories of small jobs.
#include "tests/operator/plan/explorer.h"

#include <gtest/gtest.h>

#include <iostream>

#include "tests/operator/plan/peace.h"

namespace lockstep {
namespace {

const nlohmann::json kPolicy = {{"backoffLimit", 1}, {"disruptionLimit", 1}};

World one_job(int nodes) { return World({StoredJob("sim", nodes, kPolicy)}); }

// Each fits into the quota, and not both.
World two_jobs() {
  return World({StoredJob("one", 1, kPolicy), StoredJob("two", 2, kPolicy)}, /*quota=*/2);
}

struct Case {
  const char* name;
  World start;
  int depth;
  std::size_t ends;  // at least: the histories have to reach what they are there for
};

void expect_no_broken_promise(const Case& each) {
  const Exploration found = explore({each.start, SimulatedOperator(decide)}, each.depth);
  EXPECT_EQ(found.fault, "") << each.name;
  EXPECT_GE(found.ends, each.ends) << each.name;
  std::cout << each.name << ", " << each.depth << " events deep: " << found.states << " states, "
            << found.ends << " of them ended; " << found.rounds << " rounds of peace\n";
}

TEST(Explorer, FindsNoBrokenPromise) {
  const auto running = [](int nodes) { return with_running_nodes(one_job(nodes), decide); };
  expect_no_broken_promise({"1 new node", one_job(1), 5, 100});
  expect_no_broken_promise({"2 new nodes", one_job(2), 4, 100});
  expect_no_broken_promise({"1 running node", running(1), 5, 100});
  expect_no_broken_promise({"2 running nodes", running(2), 3, 1});
  expect_no_broken_promise({"3 running nodes", running(3), 3, 0});
}

TEST(Explorer, FindsNoBrokenPromiseOfTwoJobsThatShareAQuota) {
  expect_no_broken_promise({"2 new jobs", two_jobs(), 3, 0});
}

}  // namespace
}  // namespace lockstep
