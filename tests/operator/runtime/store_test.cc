// What readers see while writers work.
#include "operator/runtime/store.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "operator/api/core.h"

namespace lockstep {
namespace {

Pod pod(const std::string& namespace_, const std::string& name, const std::string& job) {
  Pod pod;
  pod.meta.namespace_ = namespace_;
  pod.meta.name = name;
  pod.meta.labels["job"] = job;
  return pod;
}

ObjectKey job_of(const Pod& pod) { return {pod.meta.namespace_, pod.meta.labels.at("job")}; }

class PodStore : public ::testing::Test {
 protected:
  std::vector<std::string> woken() {
    std::vector<std::string> names;
    for (const ObjectKey& key : std::exchange(woken_, {})) {
      names.push_back(key.namespace_ + "/" + key.name);
    }
    return names;
  }

  std::vector<std::string> names_of_job(const ObjectKey& job) const {
    std::vector<std::string> names;
    for (const auto& pod : store_.of_job(job)) names.push_back(pod->meta.name);
    return names;
  }

  using Names = std::vector<std::string>;
  std::vector<ObjectKey> woken_;
  Store<Pod> store_{{""}, job_of, [this](const ObjectKey& job) { woken_.push_back(job); }};
};

TEST_F(PodStore, IsSyncedOnceEveryScopeWasListed) {
  Store<Pod> store({"a", "b"}, job_of, [](const ObjectKey&) {});
  EXPECT_FALSE(store.is_synced());
  store.replace("a", {}, "1");
  EXPECT_FALSE(store.is_synced());
  store.replace("b", {}, "1");
  EXPECT_TRUE(store.is_synced());
}

TEST_F(PodStore, FindsPodsByKeyAndByJob) {
  store_.replace("", {pod("ml", "x-1", "x"), pod("ml", "x-0", "x"), pod("ml", "y-0", "y")}, "7");
  EXPECT_EQ(names_of_job({"ml", "x"}), (Names{"x-0", "x-1"}));
  EXPECT_EQ(names_of_job({"other", "x"}), Names{});
  EXPECT_EQ(store_.find({"ml", "y-0"})->meta.name, "y-0");
  EXPECT_EQ(store_.find({"ml", "z"}), nullptr);
}

TEST_F(PodStore, WakesTheJobsOfListedAndOfMissingPods) {
  store_.replace("", {pod("ml", "x-0", "x")}, "7");
  EXPECT_EQ(woken(), Names{"ml/x"});
  store_.replace("", {pod("ml", "y-0", "y")}, "8");
  EXPECT_EQ(woken(), (Names{"ml/x", "ml/y"})) << "x has lost its pod: that is news too";
  EXPECT_EQ(names_of_job({"ml", "x"}), Names{});
}

TEST_F(PodStore, PutsAndErasesOneAtATime) {
  store_.replace("", {}, "7");
  store_.put("", pod("ml", "x-0", "x"), "8");
  EXPECT_EQ(woken(), Names{"ml/x"});
  EXPECT_EQ(names_of_job({"ml", "x"}), Names{"x-0"});
  store_.erase("", pod("ml", "x-0", "x"), "9");
  EXPECT_EQ(woken(), Names{"ml/x"});
  EXPECT_EQ(names_of_job({"ml", "x"}), Names{});
}

TEST_F(PodStore, ErasesUnknownPodsWithoutHarm) {
  store_.replace("", {}, "7");
  store_.erase("", pod("ml", "x-0", "x"), "9");
  EXPECT_TRUE(store_.has_reached("ml", "9"));
}

TEST_F(PodStore, MovesAPodWhoseJobChanged) {
  store_.replace("", {pod("ml", "p", "x")}, "7");
  store_.put("", pod("ml", "p", "y"), "8");
  EXPECT_EQ(names_of_job({"ml", "x"}), Names{});
  EXPECT_EQ(names_of_job({"ml", "y"}), Names{"p"});
}

TEST_F(PodStore, KeepsScopesApart) {
  Store<Pod> store({"a", "b"}, job_of, [](const ObjectKey&) {});
  store.replace("a", {pod("a", "p", "x")}, "7");
  store.replace("b", {pod("b", "p", "x")}, "9");
  store.replace("a", {}, "8");
  EXPECT_EQ(store.find({"a", "p"}), nullptr);
  EXPECT_NE(store.find({"b", "p"}), nullptr);
  EXPECT_FALSE(store.has_reached("a", "9"));
  EXPECT_TRUE(store.has_reached("b", "9"));
}

TEST_F(PodStore, ReachesVersionsByEventsAndBookmarks) {
  store_.replace("", {}, "7");
  EXPECT_TRUE(store_.has_reached("ml", "7"));
  EXPECT_FALSE(store_.has_reached("ml", "10"));
  store_.advance("", "10");
  EXPECT_TRUE(store_.has_reached("ml", "10"));
}

TEST(Version, ComparesAsANumberOfAnyLength) {
  EXPECT_TRUE(has_reached("10", "9"));
  EXPECT_FALSE(has_reached("9", "10"));
  EXPECT_TRUE(has_reached("10", "10"));
  EXPECT_TRUE(has_reached("18446744073709551617", "18446744073709551616")) << "above 2^64";
  EXPECT_FALSE(has_reached("9007199254740992", "9007199254740993")) << "equal as doubles";
  EXPECT_TRUE(has_reached("010", "9"));
  EXPECT_TRUE(has_reached("1", ""));
  EXPECT_TRUE(has_reached("", ""));
  EXPECT_FALSE(has_reached("", "1"));
}

// A reader must see either list, never a mixture.
TEST(Store, SwapsAWholeListAtOnce) {
  Store<Pod> store({""}, job_of, [](const ObjectKey&) {});
  const auto list = [](const std::string& generation) {
    std::vector<Pod> pods;
    for (int i = 0; i < 50; ++i) {
      pods.push_back(pod("ml", generation + std::to_string(i), "x"));
    }
    return pods;
  };
  store.replace("", list("a"), "1");
  std::atomic<bool> is_done = false;
  std::atomic<int> mixtures = 0;
  std::jthread reader([&] {
    while (!is_done) {
      const auto pods = store.of_job({"ml", "x"});
      const char generation = pods.front()->meta.name.front();
      if (pods.size() != 50) ++mixtures;
      for (const auto& pod : pods) mixtures += pod->meta.name.front() != generation;
    }
  });
  for (int i = 0; i < 200; ++i) store.replace("", list(i % 2 ? "a" : "b"), "1");
  is_done = true;
  reader.join();
  EXPECT_EQ(mixtures, 0);
}

}  // namespace
}  // namespace lockstep
