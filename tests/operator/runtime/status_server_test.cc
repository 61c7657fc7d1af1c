// The pages, fetched with our own transport.
#include "operator/runtime/status_server.h"

#include <gtest/gtest.h>

#include <atomic>

#include "operator/kube/transport.h"

namespace lockstep {
namespace {

const SystemClock kClock;

Response fetch(int port, const std::string& path) {
  HttpTransport transport(
      {.server = {.is_tls = false, .host = "127.0.0.1", .port = port}, .token = nullptr}, kClock);
  Request request;
  request.method = "GET";
  request.target = path;
  return transport.exchange(request, {}, {}).value_or(Response{});
}

TEST(StatusServer, IsHealthyFromTheStartAndReadyLater) {
  std::atomic<bool> is_ready = false;
  const auto server = StatusServer::start(
      "127.0.0.1:0", {.is_ready = [&] { return is_ready.load(); }, .metrics_text = nullptr});
  ASSERT_TRUE(server) << server.error().message;
  const int port = (*server)->port();
  EXPECT_EQ(fetch(port, "/healthz").status, 200);
  EXPECT_EQ(fetch(port, "/readyz").status, 503);
  is_ready = true;
  EXPECT_EQ(fetch(port, "/readyz").status, 200);
  EXPECT_EQ(fetch(port, "/metrics").status, 404);
}

TEST(StatusServer, ShowsTheMetrics) {
  const auto server = StatusServer::start(
      "127.0.0.1:0", {.is_ready = nullptr, .metrics_text = [] { return "up 1\n"; }});
  EXPECT_EQ(fetch((*server)->port(), "/metrics").body, "up 1\n");
  EXPECT_EQ(fetch((*server)->port(), "/healthz").status, 404);
}

TEST(StatusServer, RefusesAPortThatIsTaken) {
  const auto first = StatusServer::start("127.0.0.1:0", {});
  const std::string address = "127.0.0.1:" + std::to_string((*first)->port());
  const auto second = StatusServer::start(address, {});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().message, "cannot listen on " + address + ": is the port taken?");
}

TEST(StatusServer, RefusesWhatIsNotAnAddress) {
  for (const std::string address : {"", "localhost", "localhost:", "localhost:http", ":70000"}) {
    EXPECT_FALSE(StatusServer::start(address, {})) << address;
  }
}

TEST(StatusServer, EndsRightAfterItsStart) {
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(StatusServer::start("127.0.0.1:0", {}));
}

}  // namespace
}  // namespace lockstep
