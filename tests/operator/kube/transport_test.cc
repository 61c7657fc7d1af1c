// HTTP over a loopback socket, byte by byte.
#include "operator/kube/transport.h"

#include <gtest/gtest.h>

#include <future>

#include "tests/support/scripted_server.h"

namespace lockstep {
namespace {

using std::chrono::milliseconds;
using testing::ScriptedServer;
using testing::SeenRequest;
using testing::Wire;

const SystemClock kClock;

HttpTransport transport_to(const ScriptedServer& server) {
  return HttpTransport({.server = server.address(), .token = nullptr}, kClock);
}

TEST(Transport, SendsTheRequestAsItIs) {
  ScriptedServer server([](const SeenRequest&, int, Wire& wire) { wire.reply(201, "{}"); });
  HttpTransport transport = transport_to(server);
  const auto response = transport.exchange(create_request(kPods, "ml", {{"a", 1}}), {}, {});
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->status, 201);
  EXPECT_EQ(response->body, "{}");
  const SeenRequest seen = server.seen().at(0);
  EXPECT_EQ(seen.method, "POST");
  EXPECT_EQ(seen.target, "/api/v1/namespaces/ml/pods?fieldManager=lockstep-operator");
  EXPECT_EQ(seen.body, R"({"a":1})");
  EXPECT_EQ(seen.headers.at("content-type"), "application/json");
  EXPECT_EQ(seen.headers.at("host"), "127.0.0.1:" + std::to_string(server.port()));
}

TEST(Transport, PutsThePathPrefixBeforeEveryTarget) {
  ScriptedServer server([](const SeenRequest&, int, Wire& wire) { wire.reply(200, "{}"); });
  ApiServer address = server.address();
  address.path_prefix = "/k8s/one";
  HttpTransport transport({.server = address, .token = nullptr}, kClock);
  ASSERT_TRUE(transport.exchange(get_request(kPods, {"ml", "a"}), {}, {}));
  EXPECT_EQ(server.seen().at(0).target, "/k8s/one/api/v1/namespaces/ml/pods/a");
}

TEST(Transport, UsesOneConnectionForRequestsInARow) {
  ScriptedServer server([](const SeenRequest&, int, Wire& wire) { wire.reply(200, "{}"); });
  HttpTransport transport = transport_to(server);
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(transport.exchange(list_request(kPods, {}), {}, {}));
  EXPECT_EQ(server.connections(), 1);
}

TEST(Transport, HandsOverTheBodyOfSuccessInPiecesAndGathersThatOfErrors) {
  ScriptedServer server([](const SeenRequest&, int index, Wire& wire) {
    wire.begin(index == 0 ? 200 : 500);
    wire.chunk("ab");
    wire.chunk("c");
    wire.end();
  });
  HttpTransport transport = transport_to(server);
  std::string received;
  const Transport::Receive receive = [&](std::string_view bytes) -> Result<void> {
    received += bytes;
    return {};
  };
  EXPECT_EQ(transport.exchange(list_request(kPods, {}), receive, {})->body, "");
  EXPECT_EQ(received, "abc");
  EXPECT_EQ(transport.exchange(list_request(kPods, {}), receive, {})->body, "abc");
  EXPECT_EQ(received, "abc");
}

TEST(Transport, EndsWithTheErrorOfTheReceiver) {
  ScriptedServer server([](const SeenRequest&, int, Wire& wire) {
    wire.begin();
    wire.chunk("a");
    wire.wait_until_closed();
  });
  HttpTransport transport = transport_to(server);
  const auto response = transport.exchange(
      list_request(kPods, {}),
      [](std::string_view) -> Result<void> { return failure(Kind::kGone, "too old"); }, {});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().kind, Kind::kGone);
}

TEST(Transport, ReportsABodyThatWasCut) {
  ScriptedServer server([](const SeenRequest&, int, Wire& wire) {
    wire.raw("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{\"a\"");
  });
  HttpTransport transport = transport_to(server);
  const auto response = transport.exchange(list_request(kPods, {}), {}, {});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().kind, Kind::kUnavailable);
}

TEST(Transport, SaysWhichServerCannotBeReached) {
  int port = 0;
  {
    ScriptedServer gone([](const SeenRequest&, int, Wire&) {});
    port = gone.port();
  }
  HttpTransport transport(
      {.server = {.is_tls = false, .host = "127.0.0.1", .port = port}, .token = nullptr}, kClock);
  const auto response = transport.exchange(list_request(kPods, {}), {}, {});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().kind, Kind::kUnavailable);
  EXPECT_EQ(response.error().message,
            "cannot connect to http://127.0.0.1:" + std::to_string(port) + ": refused or no route");
}

TEST(Transport, NoticesAServerThatFellSilent) {
  ScriptedServer server([](const SeenRequest&, int, Wire& wire) {
    wire.begin();
    wire.chunk("a");
    wire.wait_until_closed();
  });
  HttpTransport transport = transport_to(server);
  Request request = list_request(kPods, {});
  request.silence_limit = milliseconds(50);
  const auto response = transport.exchange(request, {}, {});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().reason, "Stalled");
}

TEST(Transport, TakesABodyThatDripsByteByByte) {
  ScriptedServer server([](const SeenRequest&, int, Wire& wire) {
    wire.begin();
    for (const char c : std::string("{\"drip\":true}")) wire.chunk(std::string(1, c));
    wire.end();
  });
  HttpTransport transport = transport_to(server);
  EXPECT_EQ(transport.exchange(list_request(kPods, {}), {}, {})->body, "{\"drip\":true}");
}

TEST(Transport, ReadsRetryAfter) {
  ScriptedServer server([](const SeenRequest&, int, Wire& wire) {
    wire.reply(429, "Too many requests", "Retry-After: 7\r\n");
  });
  HttpTransport transport = transport_to(server);
  EXPECT_EQ(transport.exchange(list_request(kPods, {}), {}, {})->retry_after_seconds, 7);
}

TEST(Transport, ReadsARefusedTokenAgainAndRepeatsOnce) {
  ScriptedServer server([](const SeenRequest& request, int, Wire& wire) {
    wire.reply(request.headers.at("authorization") == "Bearer new" ? 200 : 401, "{}");
  });
  std::vector<std::string> tokens{"new", "old"};
  auto source = std::make_shared<TokenSource>(
      [&]() -> Result<std::string> {
        std::string token = tokens.back();
        tokens.pop_back();
        return token;
      },
      kClock);
  HttpTransport transport({.server = server.address(), .token = source}, kClock);
  EXPECT_EQ(transport.exchange(list_request(kPods, {}), {}, {})->status, 200);
  EXPECT_EQ(server.seen().size(), 2u);
}

TEST(Transport, ReturnsTheRefusalWhenTheNewTokenIsRefusedToo) {
  ScriptedServer server([](const SeenRequest&, int, Wire& wire) { wire.reply(401, "{}"); });
  auto source = std::make_shared<TokenSource>([] { return Result<std::string>("bad"); }, kClock);
  HttpTransport transport({.server = server.address(), .token = source}, kClock);
  EXPECT_EQ(transport.exchange(list_request(kPods, {}), {}, {})->status, 401);
  EXPECT_EQ(server.seen().size(), 2u);
}

// Each script holds the exchange in one phase: before the head, in the body, idle in a watch.
class TransportStop : public ::testing::TestWithParam<std::string> {};

TEST_P(TransportStop, EndsTheExchangeWithinASecond) {
  std::promise<void> held;
  ScriptedServer server([&](const SeenRequest&, int, Wire& wire) {
    wire.raw(GetParam());
    held.set_value();
    wire.wait_until_closed();
  });
  HttpTransport transport = transport_to(server);
  std::stop_source stop;
  auto exchange = std::async(std::launch::async, [&] {
    return transport.exchange(list_request(kPods, {}), {}, stop.get_token());
  });
  held.get_future().wait();
  stop.request_stop();
  ASSERT_EQ(exchange.wait_for(std::chrono::seconds(1)), std::future_status::ready);
  EXPECT_EQ(exchange.get().error().kind, Kind::kCancelled);
}

INSTANTIATE_TEST_SUITE_P(
    Phase, TransportStop,
    ::testing::Values("", "HTTP/1.1 200", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n",
                      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n"));

TEST(Transport, DoesNotStartAfterAStop) {
  ScriptedServer server([](const SeenRequest&, int, Wire& wire) { wire.reply(200, "{}"); });
  HttpTransport transport = transport_to(server);
  std::stop_source stop;
  stop.request_stop();
  const auto response = transport.exchange(list_request(kPods, {}), {}, stop.get_token());
  EXPECT_EQ(response.error().kind, Kind::kCancelled);
  EXPECT_EQ(server.connections(), 0);
}

}  // namespace
}  // namespace lockstep
