// The answers go through the common store, which does not need the network that was silent.
#include "trainer/group/roll_call.h"

#include <algorithm>
#include <future>
#include <thread>

#include "trainer/torch.h"

namespace lockstep {
namespace {

using namespace std::chrono_literals;

// Ranks began to wait about together, so they give up about together.
constexpr std::chrono::milliseconds kTimeToAnswer = 5s;
constexpr std::size_t kMostNames = 8;

std::string named(const std::vector<std::size_t>& ranks) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < std::min(ranks.size(), kMostNames); ++i) {
    text += (i > 0 ? ", " : "") + std::to_string(ranks[i]);
  }
  if (ranks.size() <= kMostNames) return text;
  return text + " and " + std::to_string(ranks.size() - kMostNames) + " more";
}

std::string key_of(int rank) { return std::to_string(rank); }

std::vector<std::string> answers(const c10::intrusive_ptr<c10d::Store>& store, int ranks) {
  std::vector<std::string> keys;
  for (int rank = 0; rank < ranks; ++rank) keys.push_back(key_of(rank));
  try {
    store->wait(keys, kTimeToAnswer);
  } catch (const c10::DistError&) {
    // Some have not answered: they are who is looked for.
  }
  std::vector<std::string> doing(keys.size());
  for (std::size_t rank = 0; rank < keys.size(); ++rank) {
    if (store->check({keys[rank]})) doing[rank] = store->get_to_str(keys[rank]);
  }
  return doing;
}

}  // namespace

std::string absence(const std::vector<std::string>& doing, int own_rank,
                    std::chrono::seconds waited) {
  const std::string& mine = doing[static_cast<std::size_t>(own_rank)];
  std::vector<std::size_t> silent;
  for (std::size_t rank = 0; rank < doing.size(); ++rank) {
    if (doing[rank].empty()) silent.push_back(rank);
  }
  const std::string time = std::to_string(waited.count()) + " s";
  if (!silent.empty()) return named(silent) + " did not come to " + mine + " within " + time;
  for (std::size_t rank = 0; rank < doing.size(); ++rank) {
    if (doing[rank] == mine) continue;
    return "rank " + std::to_string(rank) + " waits in " + doing[rank] + " and rank " +
           std::to_string(own_rank) + " in " + mine + ", for " + time;
  }
  return "all ranks came to " + mine + ", but the network between them carried nothing for " + time;
}

// Asked on a thread of its own: a store whose process stands still never answers.
std::string call_the_roll(const c10::intrusive_ptr<c10d::Store>& store, const Place& place,
                          const std::string& doing, std::chrono::seconds waited) {
  std::packaged_task<std::vector<std::string>()> task([store, place, doing] {
    store->set(key_of(place.rank), doing);
    return answers(store, place.world_size);
  });
  auto answered = task.get_future();
  std::thread(std::move(task)).detach();
  std::vector<std::string> known(static_cast<std::size_t>(place.world_size), doing);
  known.front().clear();  // rank 0 keeps the store
  try {
    if (answered.wait_for(2 * kTimeToAnswer) == std::future_status::ready) known = answered.get();
  } catch (const c10::DistError&) {
    // The store is gone.
  }
  return absence(known, place.rank, waited);
}

}  // namespace lockstep
