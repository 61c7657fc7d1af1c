// Meeting over a TCPStore: open or reach it, count everybody in, compare what all must share.
#include "trainer/group/rendezvous.h"

#include <algorithm>
#include <sstream>
#include <thread>

#include "trainer/group/network.h"
#include "trainer/group/peer_lost.h"
#include "trainer/log_line.h"
#include "trainer/torch.h"

namespace lockstep {
namespace {

using std::chrono::milliseconds;
using namespace std::chrono_literals;

constexpr milliseconds kConnectTimeout = 2s;
constexpr milliseconds kReportEvery = 5s;
constexpr milliseconds kGoodbyeTimeout = 5s;
constexpr milliseconds kFirstPause = 50ms;
constexpr milliseconds kLongestPause = 2s;

std::string claim_of(const std::string& what, int rank) {
  return what + "/rank/" + std::to_string(rank);
}
std::string verdict_on(const std::string& what) { return what + "/verdict"; }

std::string trimmed(const std::string& line) {
  const std::size_t start = line.find_first_not_of(' ');
  return start == std::string::npos ? "" : line.substr(start);
}

// Nothing when equal, else the sentence on the first line that differs.
std::optional<std::string> difference(const std::string& what, int rank, const std::string& theirs,
                                      const std::string& reference) {
  if (theirs == reference) return std::nullopt;
  std::istringstream left(theirs), right(reference);
  std::string line, other;
  while (line == other) {
    line.clear(), other.clear();
    std::getline(left, line);
    std::getline(right, other);
  }
  return "rank " + std::to_string(rank) + " differs from rank 0 in the " + what + ": it has \"" +
         trimmed(line) + "\" where rank 0 has \"" + trimmed(other) + "\"";
}

}  // namespace

Rendezvous::Rendezvous(Place place)
    : place_(std::move(place)), deadline_(Clock::now() + place_.startup) {
  const bool keeps_store = place_.rank == 0 && !place_.store_is_hosted;
  while (true) {
    keeps_store ? open_store() : reach_store();
    store_ = c10::make_intrusive<c10d::PrefixStore>(place_.attempt_key, tcp_store_);
    try {
      const auto sentence = compare("world size", std::to_string(place_.world_size));
      if (sentence)
        throw std::invalid_argument(*sentence + ": give every rank the same WORLD_SIZE");
      break;
    } catch (const c10::DistError& error) {
      // The store of an earlier attempt may have answered while it was going away.
      if (keeps_store || remaining() == 0ms) throw PeerLost(error.what_without_backtrace());
    }
  }
  find_own_address();
}

Rendezvous::~Rendezvous() = default;

milliseconds Rendezvous::remaining() const {
  return std::max(std::chrono::duration_cast<milliseconds>(deadline_ - Clock::now()), 0ms);
}

template <typename Attempt>
void Rendezvous::keep_trying(const std::string& purpose, const Attempt& attempt) {
  auto next_report = Clock::now() + kReportEvery;
  for (milliseconds pause = kFirstPause;; pause = std::min(2 * pause, kLongestPause)) {
    const std::optional<std::string> failure = attempt();
    if (!failure) return;
    const std::string sentence =
        "rank " + std::to_string(place_.rank) + " cannot " + purpose + ": " + *failure;
    if (remaining() == 0ms) {
      throw PeerLost(sentence + " (tried for " + std::to_string(place_.startup.count()) + " s)");
    }
    if (Clock::now() >= next_report) {
      log_line(sentence + "; still trying");
      next_report = Clock::now() + kReportEvery;
    }
    std::this_thread::sleep_for(std::min(pause, remaining()));
  }
}

void Rendezvous::open_store() {
  c10d::TCPStoreOptions options;
  options.port = static_cast<std::uint16_t>(place_.master_port);
  options.isServer = true;
  options.waitWorkers = false;
  options.timeout = place_.startup;
  // Loopback for our own client: the name of this host may not be in DNS yet.
  keep_trying("listen on port " + std::to_string(place_.master_port),
              [&]() -> std::optional<std::string> {
                try {
                  tcp_store_ = c10::make_intrusive<c10d::TCPStore>("127.0.0.1", options);
                  return std::nullopt;
                } catch (const c10::DistNetworkError&) {
                  return "another program, or an earlier attempt that has not ended, uses it";
                }
              });
}

void Rendezvous::reach_store() {
  const std::string& host = place_.master_address;
  keep_trying("reach rank 0 at " + host + ":" + std::to_string(place_.master_port),
              [&] { return failure_to_reach(host, place_.master_port, kConnectTimeout); });
  c10d::TCPStoreOptions options;
  options.port = static_cast<std::uint16_t>(place_.master_port);
  options.waitWorkers = false;
  options.timeout = std::max(remaining(), kConnectTimeout);
  tcp_store_ = c10::make_intrusive<c10d::TCPStore>(host, options);
}

void Rendezvous::find_own_address() {
  keep_trying("find its address towards " + place_.master_address,
              [&]() -> std::optional<std::string> {
                const auto address = address_towards(place_.master_address);
                if (!address) return "the name does not resolve or has no route";
                own_address_ = *address;
                return std::nullopt;
              });
}

c10::intrusive_ptr<c10d::Store> Rendezvous::store(const std::string& name) const {
  return c10::make_intrusive<c10d::PrefixStore>(name, store_);
}

void Rendezvous::wait_for(const std::string& key, const std::string& complaint) {
  while (true) {
    try {
      store_->wait({key}, std::min(remaining(), kReportEvery));
      return;
    } catch (const c10::DistStoreError&) {  // it was only the time that ran out
      if (remaining() == 0ms) {
        throw PeerLost(complaint + " within " + std::to_string(place_.startup.count()) + " s");
      }
      log_line(complaint + " yet; still waiting");
    }
  }
}

std::optional<std::string> Rendezvous::disagreement(const std::string& what,
                                                    const std::string& value) {
  deadline_ = Clock::now() + place_.startup;
  return compare(what, value);
}

// Numbered, since all ranks compare in the same order and may compare the same thing twice: a claim
// of the first time must not be read the second time.
std::optional<std::string> Rendezvous::compare(const std::string& what, const std::string& value) {
  const std::string topic = what + " " + std::to_string(++comparisons_);
  store_->set(claim_of(topic, place_.rank), value);
  std::optional<std::string> sentence;
  if (place_.rank == 0) {
    for (int rank = 1; rank < place_.world_size && !sentence; ++rank) {
      const std::string claim = claim_of(topic, rank);
      wait_for(claim, "rank " + std::to_string(rank) + " has not arrived");
      sentence = difference(what, rank, store_->get_to_str(claim), value);
    }
    store_->set(verdict_on(topic), sentence.value_or("equal"));
  } else {
    wait_for(verdict_on(topic), "not all ranks have arrived");
    const std::string verdict = store_->get_to_str(verdict_on(topic));
    if (verdict != "equal") sentence = verdict;
    // A rank that thinks the world larger than rank 0 does was not asked.
    if (!sentence)
      sentence = difference(what, place_.rank, value, store_->get_to_str(claim_of(topic, 0)));
  }
  if (sentence) say_goodbye();
  return sentence;
}

void Rendezvous::say_goodbye() {
  if (place_.rank > 0) {
    store_->set("goodbye/" + std::to_string(place_.rank), "");
    return;
  }
  std::vector<std::string> others;
  for (int rank = 1; rank < place_.world_size; ++rank) {
    others.push_back("goodbye/" + std::to_string(rank));
  }
  try {
    store_->wait(others, kGoodbyeTimeout);
  } catch (const c10::DistError&) {
    // A rank that is gone without a word must not keep this one.
  }
}

}  // namespace lockstep
