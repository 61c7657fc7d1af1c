// Who is there, asked after a collective has waited for too long.
#pragma once

#include <c10/util/intrusive_ptr.h>

#include <chrono>
#include <string>
#include <vector>

#include "trainer/group/place.h"

namespace c10d {
class Store;
}

namespace lockstep {

// What is known once all have had their time to answer: by rank, what it was doing; empty where a
// rank did not answer. In one sentence: who did not come, or who is elsewhere.
std::string absence(const std::vector<std::string>& doing, int own_rank,
                    std::chrono::seconds waited);

// Every rank that has given up waiting calls this, each at its own time; it tells the others what
// `doing` it was, gives them as long as that takes to do the same, and returns absence() of the
// answers. Takes at most a few seconds, also when the store is gone with rank 0.
std::string call_the_roll(const c10::intrusive_ptr<c10d::Store>& store, const Place& place,
                          const std::string& doing, std::chrono::seconds waited);

}  // namespace lockstep
