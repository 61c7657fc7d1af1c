// Whom we trust: real handshakes with certificates made on the spot.
#include "operator/kube/tls.h"

#include <gtest/gtest.h>

#include <future>

#include "operator/kube/transport.h"
#include "tests/support/scripted_server.h"

namespace lockstep {
namespace {

using testing::Authority;
using testing::Identity;
using testing::ScriptedServer;
using testing::SeenRequest;
using testing::Wire;

const SystemClock kClock;

ScriptedServer::Script always_ok() {
  return [](const SeenRequest&, int, Wire& wire) { wire.reply(200, "{}"); };
}

Result<Response> ask(const ScriptedServer& server, const Authority& authority,
                     const std::string& server_name = {}) {
  ApiServer address = server.address();
  address.is_tls = true;
  address.server_name = server_name;
  address.authorities.text = authority.certificate_pem();
  HttpTransport transport({.server = address, .token = nullptr}, kClock);
  return transport.exchange(get_request(kPods, {"ml", "a"}), {}, {});
}

std::string refusal(const ScriptedServer& server, const std::string& why) {
  return "do not trust https://127.0.0.1:" + std::to_string(server.port()) + ": " + why;
}

TEST(Tls, TrustsACertificateForTheIpAddress) {
  Authority authority;
  ScriptedServer server(always_ok(), authority.issue("IP:127.0.0.1"));
  const auto response = ask(server, authority);
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->status, 200);
}

TEST(Tls, RefusesACertificateForOtherNamesAndSaysSo) {
  Authority authority;
  const std::vector<std::string> names = {
      "IP:127.0.0.2", "DNS:api",
      "DNS:127.0.0.1",  // a name is not an address
      "IP:7F00:1::1",   // an IPv6 address that begins with the same four bytes
  };
  for (const std::string& name : names) {
    ScriptedServer server(always_ok(), authority.issue(name));
    const auto response = ask(server, authority);
    ASSERT_FALSE(response) << name;
    EXPECT_EQ(response.error().message, refusal(server, "IP address mismatch")) << name;
    EXPECT_TRUE(server.seen().empty());
  }
}

TEST(Tls, ChecksTheServerNameWhenOneIsGiven) {
  Authority authority;
  ScriptedServer server(always_ok(), authority.issue("DNS:api.example"));
  EXPECT_TRUE(ask(server, authority, "api.example"));
  EXPECT_EQ(ask(server, authority, "other.example").error().message,
            refusal(server, "hostname mismatch"));
}

TEST(Tls, RefusesAnExpiredCertificate) {
  Authority authority;
  ScriptedServer server(always_ok(), authority.issue("IP:127.0.0.1", -1));
  EXPECT_EQ(ask(server, authority).error().message, refusal(server, "certificate has expired"));
}

TEST(Tls, RefusesACertificateOfAnotherAuthority) {
  Authority theirs;
  const Authority ours;
  ScriptedServer server(always_ok(), theirs.issue("IP:127.0.0.1"));
  const auto response = ask(server, ours);
  ASSERT_FALSE(response);
  EXPECT_TRUE(response.error().message.starts_with(refusal(server, "")))
      << response.error().message;
}

TEST(Tls, SkipsVerificationWhenTold) {
  Authority authority;
  ScriptedServer server(always_ok(), authority.issue("DNS:other"));
  ApiServer address = server.address();
  address.is_tls = true;
  address.is_verified = false;
  HttpTransport transport({.server = address, .token = nullptr}, kClock);
  EXPECT_TRUE(transport.exchange(get_request(kPods, {"ml", "a"}), {}, {}));
}

TEST(Tls, StopsAWatchThatIsIdle) {
  Authority authority;
  std::promise<void> held;
  ScriptedServer server(
      [&](const SeenRequest&, int, Wire& wire) {
        wire.begin();
        held.set_value();
        wire.wait_until_closed();
      },
      authority.issue("IP:127.0.0.1"));
  ApiServer address = server.address();
  address.is_tls = true;
  address.authorities.text = authority.certificate_pem();
  HttpTransport transport({.server = address, .token = nullptr}, kClock);
  std::stop_source stop;
  auto exchange = std::async(std::launch::async, [&] {
    return transport.exchange(watch_request(kPods, {}), {}, stop.get_token());
  });
  held.get_future().wait();
  stop.request_stop();
  ASSERT_EQ(exchange.wait_for(std::chrono::seconds(1)), std::future_status::ready);
  EXPECT_EQ(exchange.get().error().kind, Kind::kCancelled);
}

TEST(Tls, RefusesACertificateAndKeyThatDoNotFit) {
  Authority authority;
  const Identity one = authority.issue("DNS:one");
  const Identity two = authority.issue("DNS:two");
  ApiServer address;
  address.client_certificate.text = one.certificate_pem;
  address.client_key.text = two.key_pem;
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context{SSL_CTX_new(TLS_client_method()),
                                                                  SSL_CTX_free};
  std::string fault;
  const auto configured = configure_tls(context.get(), address, &fault);
  ASSERT_FALSE(configured);
  EXPECT_EQ(configured.error().message, "the client certificate and key do not fit together");
}

TEST(Tls, RefusesAnAuthorityFileWithoutCertificates) {
  ApiServer address;
  address.authorities.text = "not a certificate";
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context{SSL_CTX_new(TLS_client_method()),
                                                                  SSL_CTX_free};
  std::string fault;
  EXPECT_EQ(configure_tls(context.get(), address, &fault).error().message,
            "the certificate authority holds no certificate");
}

}  // namespace
}  // namespace lockstep
