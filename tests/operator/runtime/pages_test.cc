// Pages from servers that do what no server should: none costs more than its time, or a byte more
// than the limit.
#include "operator/runtime/pages.h"

#include <gtest/gtest.h>

#include <thread>

#include "tests/support/scripted_server.h"

namespace lockstep {
namespace {

using namespace std::chrono_literals;
using testing::ScriptedServer;
using testing::SeenRequest;
using testing::Wire;

using Page = std::optional<std::string>;

constexpr PageLimits kLimits{.patience = 300ms};

// Runs until the client has gone.
using Behaviour = std::function<void(Wire& wire)>;

Page page_of(const Behaviour& behaviour) {
  ScriptedServer server([&](const SeenRequest&, int, Wire& wire) { behaviour(wire); });
  const auto start = std::chrono::steady_clock::now();
  const Page page = fetch_pages({{"127.0.0.1", server.port()}}, "/progress", kLimits).at(0);
  EXPECT_LT(std::chrono::steady_clock::now() - start, 5s) << "far beyond the patience of 0.3 s";
  return page;
}

std::string repeated(const std::string& text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

TEST(Pages, AreAskedForAsHttpSays) {
  ScriptedServer server([](const SeenRequest&, int, Wire& wire) {
    wire.raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");
  });
  EXPECT_EQ(fetch_pages({{"127.0.0.1", server.port()}}, "/progress").at(0), "{}");
  ASSERT_EQ(server.seen().size(), 1U);
  EXPECT_EQ(server.seen()[0].method, "GET");
  EXPECT_EQ(server.seen()[0].target, "/progress");
  EXPECT_EQ(server.seen()[0].headers.at("connection"), "close");
}

TEST(Pages, ComeInAnyPieces) {
  EXPECT_EQ(page_of([](Wire& wire) {
              for (const char byte : std::string("HTTP/1.0 200 OK\r\n\r\n{\"schema\": 1}")) {
                wire.raw({&byte, 1});
              }
            }),
            "{\"schema\": 1}");
}

TEST(Pages, OfHostileServersAreNone) {
  const std::string kOk = "HTTP/1.1 200 OK\r\n\r\n";
  const std::vector<std::pair<std::string, Behaviour>> kServers = {
      {"hangs up", [](Wire&) {}},
      {"says nothing", [](Wire& wire) { wire.wait_until_closed(); }},
      {"drips a header for ever",
       [](Wire& wire) {
         wire.raw("HTTP/1.1 200 OK\r\nX: ");
         while (wire.raw("x")) std::this_thread::sleep_for(10ms);
       }},
      {"drips a body for ever",
       [&](Wire& wire) {
         wire.raw(kOk);
         while (wire.raw("{")) std::this_thread::sleep_for(10ms);
       }},
      {"sends without end",
       [&](Wire& wire) {
         wire.raw(kOk);
         while (wire.raw(repeated("x", 65536))) {
         }
       }},
      {"is one byte too long",
       [&](Wire& wire) { wire.raw(kOk + repeated("x", 64 * 1024 + 1 - kOk.size())); }},
      {"redirects",
       [](Wire& wire) { wire.raw("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1/\r\n\r\n{}"); }},
      {"has an error", [](Wire& wire) { wire.raw("HTTP/1.1 500 Oh\r\n\r\n{}"); }},
      {"has no header", [](Wire& wire) { wire.raw("{\"schema\": 1}"); }},
      {"never ends its header", [](Wire& wire) { wire.raw("HTTP/1.1 200 OK\r\nX: y\r\n"); }},
      {"speaks another protocol", [](Wire& wire) { wire.raw("SSH-2.0-x\r\n\r\n{}"); }}};
  for (const auto& [name, behaviour] : kServers) {
    SCOPED_TRACE(name);
    EXPECT_EQ(page_of(behaviour), std::nullopt);
  }
  EXPECT_EQ(page_of([&](Wire& wire) { wire.raw(kOk + repeated("x", 64 * 1024 - kOk.size())); }),
            repeated("x", 64 * 1024 - kOk.size()));
}

TEST(Pages, OfNoServerAreNone) {
  const auto pages = fetch_pages({{"127.0.0.1", 1}, {"", 80}, {"localhost", 80}, {"::1", 1}},
                                 "/progress", kLimits);
  EXPECT_EQ(pages, std::vector<Page>(4));
}

TEST(Pages, OfTheQuickDoNotWaitForTheSlowAndKeepTheirOrder) {
  ScriptedServer slow([](const SeenRequest&, int, Wire& wire) { wire.wait_until_closed(); });
  ScriptedServer quick(
      [](const SeenRequest&, int, Wire& wire) { wire.raw("HTTP/1.0 200 OK\r\n\r\nquick"); });
  std::vector<PageAddress> addresses(40, {"127.0.0.1", slow.port()});
  addresses[17] = {"127.0.0.1", quick.port()};
  std::vector<Page> expected(40);
  expected[17] = "quick";
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(fetch_pages(addresses, "/progress", kLimits), expected);
  EXPECT_LT(std::chrono::steady_clock::now() - start, 40 * kLimits.patience / 4) << "all at once";
}

}  // namespace
}  // namespace lockstep
