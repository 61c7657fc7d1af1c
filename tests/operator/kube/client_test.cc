// The verbs against a server that plays the API server.
#include "operator/kube/client.h"

#include <gtest/gtest.h>

#include "tests/support/scripted_server.h"

namespace lockstep {
namespace {

using nlohmann::json;
using testing::ScriptedServer;
using testing::SeenRequest;
using testing::Wire;

const SystemClock kClock;

struct Connected {
  explicit Connected(ScriptedServer::Script script)
      : server(std::move(script)),
        transport({.server = server.address(), .token = nullptr}, kClock),
        client(transport) {}

  ScriptedServer server;
  HttpTransport transport;
  Client client;
};

ScriptedServer::Script answer(int status, std::string body) {
  return [=](const SeenRequest&, int, Wire& wire) { wire.reply(status, body); };
}

// The body in two chunks, cut at `at`.
ScriptedServer::Script chunked(std::string body, std::size_t at) {
  return [=](const SeenRequest&, int, Wire& wire) {
    wire.begin();
    if (at > 0) wire.chunk(body.substr(0, at));
    if (at < body.size()) wire.chunk(body.substr(at));
    wire.end();
  };
}

TEST(Client, GetsAnObject) {
  Connected to(answer(200, R"({"metadata":{"name":"a"}})"));
  const auto object = to.client.get(kPods, {"ml", "a"}, {});
  ASSERT_TRUE(object);
  EXPECT_EQ((*object)["metadata"]["name"], "a");
}

TEST(Client, TakesSuccessWithoutWholeJsonAsAnError) {
  for (const std::string body : {"", "{", "[]", "<html>"}) {
    Connected to(answer(200, body));
    const auto object = to.client.get(kPods, {"ml", "a"}, {});
    ASSERT_FALSE(object) << body;
    EXPECT_EQ(object.error().kind, Kind::kInvalid) << body;
  }
}

TEST(Client, TellsAlreadyExistsFromOtherConflicts) {
  Connected to(answer(409, R"({"kind":"Status","reason":"AlreadyExists","code":409})"));
  const auto created = to.client.create(kPods, "ml", json::object(), {});
  ASSERT_FALSE(created);
  EXPECT_EQ(created.error().kind, Kind::kConflict);
  EXPECT_EQ(created.error().reason, "AlreadyExists");
}

TEST(Client, ListsAPageOfObjects) {
  Connected to(chunked(
      R"({"kind":"PodList","items":[{"n":1},{"n":2}],"metadata":{"resourceVersion":"9","continue":"c"}})",
      30));
  std::vector<json> objects;
  const auto page = to.client.list(kPods, {},
                                   [&](json object) -> Result<void> {
                                     objects.push_back(std::move(object));
                                     return {};
                                   },
                                   {});
  ASSERT_TRUE(page);
  EXPECT_EQ(page->version, "9");
  EXPECT_EQ(page->continue_token, "c");
  EXPECT_EQ(objects, (std::vector<json>{{{"n", 1}}, {{"n", 2}}}));
}

TEST(Client, RefusesAListWithoutVersion) {
  Connected to(answer(200, R"({"items":[]})"));
  EXPECT_EQ(to.client.list(kPods, {}, {}, {}).error().kind, Kind::kInvalid);
}

TEST(Client, TakesAListCutAtAnyByteAsUnavailable) {
  const std::string body = R"({"metadata":{"resourceVersion":"9"},"items":[{"n":1}]})";
  for (std::size_t length = 0; length < body.size(); ++length) {
    Connected to(answer(200, body.substr(0, length)));
    const auto page = to.client.list(kPods, {}, [](json) -> Result<void> { return {}; }, {});
    ASSERT_FALSE(page) << length;
    EXPECT_EQ(page.error().kind, Kind::kUnavailable) << length;
  }
}

std::vector<WatchEvent> watch(Connected& to, Result<void>& end) {
  std::vector<WatchEvent> events;
  end = to.client.watch(kPods, {.version = "1"},
                        [&](WatchEvent event) -> Result<void> {
                          events.push_back(std::move(event));
                          return {};
                        },
                        {});
  return events;
}

TEST(Client, WatchesEventsOfEveryType) {
  Connected to(answer(200, R"({"type":"ADDED","object":{"metadata":{"resourceVersion":"2"}}}
{"type":"MODIFIED","object":{"metadata":{"resourceVersion":"3"}}}
{"type":"DELETED","object":{"metadata":{"resourceVersion":"4"}}}
{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"5"}}}
{"type":"NEWS","object":{}}
)"));
  Result<void> end;
  const auto events = watch(to, end);
  ASSERT_TRUE(end);
  ASSERT_EQ(events.size(), 5u);
  using Type = WatchEvent::Type;
  EXPECT_EQ(events[0].type, Type::kAdded);
  EXPECT_EQ(events[1].type, Type::kModified);
  EXPECT_EQ(events[2].type, Type::kDeleted);
  EXPECT_EQ(events[3].type, Type::kBookmark);
  EXPECT_EQ(events[3].version, "5");
  EXPECT_EQ(events[4].type, Type::kUnknown);
}

TEST(Client, EndsAWatchWithTheErrorInsideIt) {
  Connected to(answer(200, R"({"type":"ERROR","object":{"kind":"Status","code":410,)"
                           R"("reason":"Expired","message":"too old resource version"}})"));
  Result<void> end;
  EXPECT_TRUE(watch(to, end).empty());
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().kind, Kind::kGone);
}

TEST(Client, CannotDecodeAnEventWithoutVersion) {
  Connected to(answer(200, R"({"type":"ADDED","object":{}})"));
  Result<void> end;
  watch(to, end);
  EXPECT_EQ(end.error().kind, Kind::kInvalid);
}

TEST(Client, ReportsEachAnswerOnce) {
  ScriptedServer server(answer(404, "{}"));
  HttpTransport transport({.server = server.address(), .token = nullptr}, kClock);
  std::vector<std::string> seen;
  Client client(transport, [&](const Request& request, int status) {
    seen.push_back(request.verb + " " + request.resource + " " + std::to_string(status));
  });
  EXPECT_EQ(client.get(kPods, {"ml", "a"}, {}).error().kind, Kind::kNotFound);
  EXPECT_EQ(seen, std::vector<std::string>{"get pods 404"});
}

}  // namespace
}  // namespace lockstep
