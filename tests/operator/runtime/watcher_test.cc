// The whole watcher against a server that plays the API server.
#include "operator/runtime/watcher.h"

#include <gtest/gtest.h>

#include <future>

#include "operator/api/core.h"
#include "tests/support/scripted_server.h"

namespace lockstep {
namespace {

using std::chrono::milliseconds;
using testing::ScriptedServer;
using testing::SeenRequest;
using testing::Wire;

const SystemClock kClock;
constexpr Pacing kFast{milliseconds(1), milliseconds(4), milliseconds(120'000)};

std::string pod(const std::string& name, const std::string& version) {
  return R"({"metadata":{"namespace":"ml","name":")" + name + R"(","uid":"u-)" + name +
         R"(","resourceVersion":")" + version + R"("}})";
}

std::string list(const std::string& items, const std::string& version,
                 const std::string& token = "") {
  return R"({"metadata":{"resourceVersion":")" + version + R"(","continue":")" + token +
         R"("},"items":[)" + items + "]}";
}

std::string event(const std::string& type, const std::string& object) {
  return R"({"type":")" + type + R"(","object":)" + object + "}\n";
}

const std::string kExpired =
    event("ERROR", R"({"kind":"Status","code":410,"reason":"Expired","message":"too old"})");

bool is_watch(const SeenRequest& request) {
  return request.target.find("watch=true") != std::string::npos;
}

void hold_open(Wire& wire) {
  wire.begin();
  wire.wait_until_closed();
}

// A store of pods that a watcher fills from `script`, and a way to wait for a state of it.
class Watching {
 public:
  explicit Watching(ScriptedServer::Script script)
      : server_(std::move(script)),
        watcher_(client_, {kPods, "ml", ""},
                 std::make_unique<StoreWriter<Pod>>(store_, "", parse_pod), kClock, {}, kFast) {}

  // The names of the pods once `version` was reached; fails the test after ten seconds.
  std::vector<std::string> names_at(const std::string& version) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!store_.has_reached("ml", version) && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::yield();
    }
    EXPECT_TRUE(store_.has_reached("ml", version)) << "never reached " << version;
    std::vector<std::string> names;
    for (const auto& pod : store_.all()) names.push_back(pod->meta.name);
    return names;
  }

  std::vector<std::string> targets() const {
    std::vector<std::string> targets;
    for (const SeenRequest& request : server_.seen()) targets.push_back(request.target);
    return targets;
  }

 private:
  ScriptedServer server_;
  HttpTransport transport_{{.server = server_.address(), .token = nullptr}, kClock};
  Client client_{transport_};
  Store<Pod> store_{{""}, [](const Pod& pod) { return pod.meta.key(); }, [](const ObjectKey&) {}};
  Watcher watcher_;
};

using Names = std::vector<std::string>;
constexpr char kListTarget[] = "/api/v1/namespaces/ml/pods";

TEST(Watcher, ListsThenFollowsEvents) {
  Watching watching([](const SeenRequest& request, int, Wire& wire) {
    if (!is_watch(request)) return wire.reply(200, list(pod("a", "3") + "," + pod("b", "4"), "5"));
    wire.begin();
    wire.chunk(event("ADDED", pod("c", "6")) + event("DELETED", pod("a", "7")));
    wire.chunk(event("MODIFIED", pod("b", "8")));
    wire.wait_until_closed();
  });
  EXPECT_EQ(watching.names_at("8"), (Names{"b", "c"}));
  EXPECT_NE(watching.targets()[1].find("resourceVersion=5&"), std::string::npos);
}

TEST(Watcher, PublishesPagesTogether) {
  Watching watching([](const SeenRequest& request, int index, Wire& wire) {
    if (is_watch(request)) return hold_open(wire);
    wire.reply(200, index == 0 ? list(pod("a", "3"), "5", "next") : list(pod("b", "4"), "5"));
  });
  EXPECT_EQ(watching.names_at("5"), (Names{"a", "b"}));
  EXPECT_EQ(watching.targets()[1], std::string(kListTarget) + "?limit=500&continue=next");
}

TEST(Watcher, DropsTheFirstPagesWhenALaterOneFails) {
  Watching watching([](const SeenRequest& request, int index, Wire& wire) {
    if (is_watch(request)) return hold_open(wire);
    if (index == 0) return wire.reply(200, list(pod("old", "3"), "5", "next"));
    if (index == 1) return wire.reply(410, R"({"kind":"Status","reason":"Expired","code":410})");
    wire.reply(200, list(pod("new", "6"), "7"));
  });
  EXPECT_EQ(watching.names_at("7"), Names{"new"});
  EXPECT_EQ(watching.targets()[2], std::string(kListTarget) + "?resourceVersion=0");
}

TEST(Watcher, WatchesOnFromABookmark) {
  Watching watching([](const SeenRequest& request, int index, Wire& wire) {
    if (!is_watch(request)) return wire.reply(200, list("", "5"));
    if (index > 1) return hold_open(wire);
    wire.begin();
    wire.chunk(event("BOOKMARK", R"({"metadata":{"resourceVersion":"90"}})"));
    wire.end();
  });
  watching.names_at("90");
  while (watching.targets().size() < 3) std::this_thread::yield();
  EXPECT_NE(watching.targets()[2].find("resourceVersion=90&"), std::string::npos);
}

// 410 as an event and as an HTTP status lead to the same list.
TEST(Watcher, ListsAgainWhenItsVersionHasExpired) {
  for (const bool is_in_stream : {true, false}) {
    Watching watching([=](const SeenRequest& request, int index, Wire& wire) {
      if (index == 0) return wire.reply(200, list(pod("a", "3"), "5"));
      if (index == 1) return wire.reply(is_in_stream ? 200 : 410, is_in_stream ? kExpired : "{}");
      if (is_watch(request)) return hold_open(wire);
      wire.reply(200, list(pod("b", "8"), "9"));
    });
    EXPECT_EQ(watching.names_at("9"), Names{"b"}) << is_in_stream;
    EXPECT_EQ(watching.targets()[2], std::string(kListTarget) + "?resourceVersion=5");
  }
}

TEST(Watcher, WatchesAgainWithoutListingWhenThrottledOrCut) {
  const std::vector<ScriptedServer::Script> interruptions = {
      [](const SeenRequest&, int, Wire& wire) { wire.reply(429, "Too many requests"); },
      [](const SeenRequest&, int, Wire& wire) { wire.raw(""); },
      [](const SeenRequest&, int, Wire& wire) {
        wire.begin();
        wire.chunk(R"({"type":"ADDED","obj)");
      },
  };
  for (const auto& interrupt : interruptions) {
    Watching watching([&](const SeenRequest& request, int index, Wire& wire) {
      if (index == 0) return wire.reply(200, list("", "5"));
      if (index == 1) return interrupt(request, index, wire);
      wire.begin();
      wire.chunk(event("ADDED", pod("a", "6")));
      wire.wait_until_closed();
    });
    EXPECT_EQ(watching.names_at("6"), Names{"a"});
    EXPECT_NE(watching.targets()[2].find("watch=true"), std::string::npos);
  }
}

TEST(Watcher, ListsAgainAfterAnEventItCannotReadOrAnInternalError) {
  const std::vector<std::string> bodies = {
      event("ADDED", "{}"), "<html>",
      event("ERROR", R"({"kind":"Status","code":500,"reason":"InternalError"})")};
  for (const std::string& body : bodies) {
    Watching watching([=](const SeenRequest& request, int index, Wire& wire) {
      if (index == 0) return wire.reply(200, list("", "5"));
      if (index == 1) return wire.reply(200, body);
      if (is_watch(request)) return hold_open(wire);
      wire.reply(200, list(pod("b", "8"), "9"));
    });
    EXPECT_EQ(watching.names_at("9"), Names{"b"}) << body;
  }
}

TEST(Watcher, KeepsTryingUntilTheServerListens) {
  Watching watching([](const SeenRequest& request, int index, Wire& wire) {
    if (index < 5) return wire.reply(503, "starting");
    if (is_watch(request)) return hold_open(wire);
    wire.reply(200, list(pod("a", "3"), "5"));
  });
  EXPECT_EQ(watching.names_at("5"), Names{"a"});
}

TEST(Watcher, EndsWithinASecondWhileTheServerIsSilent) {
  std::promise<void> watched;
  auto watching = std::make_unique<Watching>([&](const SeenRequest& request, int, Wire& wire) {
    if (!is_watch(request)) return wire.reply(200, list("", "5"));
    watched.set_value();
    wire.wait_until_closed();
  });
  watched.get_future().wait();
  const auto start = std::chrono::steady_clock::now();
  watching.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
}

}  // namespace
}  // namespace lockstep
