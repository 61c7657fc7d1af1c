// Where ranks meet before they can compute together: a key-value store kept by rank 0.
#pragma once

#include <c10/util/intrusive_ptr.h>

#include <chrono>
#include <optional>
#include <string>

#include "trainer/group/place.h"

namespace c10d {
class Store;
}

namespace lockstep {

class Rendezvous {
 public:
  // Opens the store (rank 0) or reaches it, trying again with a growing pause until place.startup
  // has passed, then waits for every rank. Keys begin with the job and attempt.
  // Throws PeerLost at the deadline, naming who is missing; std::invalid_argument when ranks were
  // told different world sizes.
  explicit Rendezvous(Place place);
  ~Rendezvous();

  const Place& place() const { return place_; }
  const std::string& own_address() const { return own_address_; }  // numeric, as peers reach it

  // A part of the store under `name`, for one process group.
  c10::intrusive_ptr<c10d::Store> store(const std::string& name) const;

  // See Group::disagreement.
  std::optional<std::string> disagreement(const std::string& what, const std::string& value);

  // Rank 0 returns when every other rank has called this, or after five seconds.
  void say_goodbye();

 private:
  using Clock = std::chrono::steady_clock;
  std::chrono::milliseconds remaining() const;
  void open_store();
  void reach_store();
  void find_own_address();
  // Calls `attempt` until it returns no failure; throws PeerLost at the deadline.
  template <typename Attempt>
  void keep_trying(const std::string& purpose, const Attempt& attempt);
  void wait_for(const std::string& key, const std::string& complaint);
  std::optional<std::string> compare(const std::string& what, const std::string& value);

  Place place_;
  Clock::time_point deadline_;
  int comparisons_ = 0;
  std::string own_address_;
  c10::intrusive_ptr<c10d::Store> tcp_store_;
  c10::intrusive_ptr<c10d::Store> store_;  // tcp_store_ under the attempt's prefix
};

}  // namespace lockstep
