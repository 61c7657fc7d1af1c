// Every transition of the watcher, without a server.
#include "operator/runtime/watch_state.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

using Doing = WatchState::Doing;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Pacing kPacing;
const std::chrono::steady_clock::time_point kStart{std::chrono::hours(1)};

WatchState after(const WatchState& state, const WatchInput& input, double random = 0,
                 milliseconds later = milliseconds(0)) {
  return step(state, input, kStart + later, random, kPacing);
}

WatchState watching(const std::string& version) {
  WatchState state;
  state.doing = Doing::kWatching;
  state.version = version;
  return state;
}

Failed failed(Kind kind, const std::string& reason = {}, int retry_after = 0) {
  return Failed{{kind, "", retry_after, reason}};
}

TEST(WatchState, ListsAnyVersionFirstInPagesOf500) {
  const ListOptions options = next_list({});
  EXPECT_EQ(options.version, "0");
  EXPECT_EQ(options.limit, 500);
}

TEST(WatchState, FollowsContinueTokensThenWatchesFromTheListsVersion) {
  WatchState state = after({}, PageRead{"7", "token"});
  EXPECT_EQ(state.doing, Doing::kListing);
  EXPECT_EQ(next_list(state).continue_token, "token");
  state = after(state, PageRead{"7", ""});
  EXPECT_EQ(state.doing, Doing::kWatching);
  EXPECT_EQ(next_watch(state, 0).version, "7");
  EXPECT_EQ(state.pause.count(), 0);
}

TEST(WatchState, ListsInOnePieceWhenAContinueTokenHasExpired) {
  const WatchState state = after(after({}, PageRead{"7", "token"}), failed(Kind::kGone));
  const ListOptions options = next_list(state);
  EXPECT_EQ(options.version, "0");
  EXPECT_EQ(options.limit, 0);
  EXPECT_EQ(options.continue_token, "");
  EXPECT_EQ(state.pause.count(), 0);
}

TEST(WatchState, WatchesAgainWithoutListingAfterAnOrderlyEnd) {
  const WatchState state = after(watching("9"), WatchEnded{seconds(400), 12});
  EXPECT_EQ(state.doing, Doing::kWatching);
  EXPECT_EQ(state.version, "9");
  EXPECT_EQ(state.pause.count(), 0);
}

TEST(WatchState, BacksOffFromWatchesThatEndAtOnceWithoutEvents) {
  EXPECT_GT(after(watching("9"), WatchEnded{milliseconds(10), 0}).pause.count(), 0);
  EXPECT_EQ(after(watching("9"), WatchEnded{milliseconds(10), 1}).pause.count(), 0);
}

TEST(WatchState, MovesItsVersionWithEveryEventAndBookmark) {
  EXPECT_EQ(after(watching("9"), Heard{"12"}).version, "12");
}

TEST(WatchState, ListsAtTheLastVersionWhenTheWatchIsTooOldThenAtTheNewest) {
  WatchState state = after(watching("9"), failed(Kind::kGone));
  EXPECT_EQ(state.doing, Doing::kListing);
  EXPECT_EQ(next_list(state).version, "9");
  EXPECT_EQ(next_list(state).limit, 0) << "a limit at a version bypasses the server's cache";
  EXPECT_EQ(state.pause.count(), 0);
  state = after(state, failed(Kind::kGone));
  EXPECT_EQ(next_list(state).version, "");
  EXPECT_EQ(state.pause.count(), 0);
  state = after(state, failed(Kind::kGone));
  EXPECT_GT(state.pause.count(), 0) << "the newest cannot be gone: no tight loop";
}

TEST(WatchState, ListsTheNewestWhenTheServerHasNotReachedTheVersion) {
  WatchState state = watching("9");
  state.doing = Doing::kListing;
  state = after(state, failed(Kind::kUnavailable, "ResourceVersionTooLarge"));
  EXPECT_EQ(next_list(state).version, "");
}

// What each failure of a watch leads to.
TEST(WatchState, TreatsEachFailureOfAWatchAsClientGoDoes) {
  struct Case {
    Failed failure;
    Doing next;
    bool pauses;
  };
  const std::vector<Case> cases = {
      {failed(Kind::kGone), Doing::kListing, false},
      {failed(Kind::kThrottled), Doing::kWatching, true},
      {failed(Kind::kUnavailable), Doing::kWatching, true},
      {failed(Kind::kUnavailable, "Stalled"), Doing::kWatching, true},
      {failed(Kind::kUnavailable, "InternalError"), Doing::kListing, true},
      {failed(Kind::kInvalid), Doing::kListing, true},
      {failed(Kind::kForbidden), Doing::kListing, true},
      {failed(Kind::kNotFound), Doing::kListing, true},
  };
  for (const Case& c : cases) {
    const WatchState state = after(watching("9"), c.failure);
    EXPECT_EQ(state.doing, c.next) << kind_name(c.failure.error.kind);
    EXPECT_EQ(state.version, "9");
    EXPECT_EQ(state.pause.count() > 0, c.pauses) << kind_name(c.failure.error.kind);
  }
}

TEST(WatchState, KeepsToRetryAfter) {
  EXPECT_EQ(after(watching("9"), failed(Kind::kThrottled, "", 7)).pause, seconds(7));
}

TEST(WatchState, DoublesThePauseUpTo30SecondsAndStretchesItByUpToItself) {
  const std::vector<int> expected = {800, 1600, 3200, 6400, 12800, 25600, 30000, 30000};
  for (const double random : {0.0, 0.5}) {
    WatchState state = watching("9");
    for (const int pause : expected) {
      state = after(state, failed(Kind::kUnavailable), random);
      EXPECT_EQ(state.pause, milliseconds(static_cast<int>(pause * (1 + random))));
    }
  }
}

TEST(WatchState, StartsThePausesAgainAfterTwoQuietMinutes) {
  WatchState state = watching("9");
  for (int i = 0; i < 5; ++i) state = after(state, failed(Kind::kUnavailable));
  const auto soon = after(state, failed(Kind::kUnavailable), 0, seconds(119));
  EXPECT_EQ(soon.pause, milliseconds(25600));
  const auto late = after(state, failed(Kind::kUnavailable), 0, seconds(121));
  EXPECT_EQ(late.pause, milliseconds(800));
}

TEST(WatchState, WatchesBetween300And600Seconds) {
  EXPECT_EQ(next_watch({}, 0).duration, seconds(300));
  EXPECT_EQ(next_watch({}, 0.999999).duration, seconds(600));
}

}  // namespace
}  // namespace lockstep
