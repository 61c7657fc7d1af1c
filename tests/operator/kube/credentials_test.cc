// Addresses, tokens that rotate, and the pod's service account.
#include "operator/kube/credentials.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/certificates.h"
#include "tests/support/temporary_directory.h"

namespace lockstep {
namespace {

class HandClock final : public Clock {
 public:
  std::chrono::sys_time<std::chrono::milliseconds> now() const override { return {}; }
  std::chrono::steady_clock::time_point steady_now() const override { return time; }
  std::chrono::steady_clock::time_point time;
};

TEST(ServerUrl, IsTakenApart) {
  struct Case {
    std::string url;
    bool is_tls;
    std::string host;
    int port;
    std::string prefix;
  };
  const std::vector<Case> cases = {
      {"https://10.0.0.1:6443", true, "10.0.0.1", 6443, ""},
      {"https://api.example", true, "api.example", 443, ""},
      {"http://localhost:8080/", false, "localhost", 8080, ""},
      {"https://[fd00::1]:6443/k8s/one/", true, "fd00::1", 6443, "/k8s/one"},
      {"https://[fd00::1]", true, "fd00::1", 443, ""},
  };
  for (const Case& c : cases) {
    const auto server = parse_server_url(c.url);
    ASSERT_TRUE(server) << c.url;
    EXPECT_EQ(server->is_tls, c.is_tls) << c.url;
    EXPECT_EQ(server->host, c.host) << c.url;
    EXPECT_EQ(server->port, c.port) << c.url;
    EXPECT_EQ(server->path_prefix, c.prefix) << c.url;
  }
}

TEST(ServerUrl, IsRefusedWhenItMakesNoSense) {
  for (const std::string url : {"", "10.0.0.1:6443", "ftp://a", "https://", "https://a:port",
                                "https://a:0", "https://a:70000", "https://:6443"}) {
    EXPECT_FALSE(parse_server_url(url)) << url;
  }
}

TEST(TokenSource, ReadsAgainAfterAMinute) {
  HandClock clock;
  int reads = 0;
  TokenSource source([&] { return Result<std::string>(std::to_string(++reads)); }, clock);
  EXPECT_EQ(*source.current(), "1");
  clock.time += std::chrono::seconds(59);
  EXPECT_EQ(*source.current(), "1");
  clock.time += std::chrono::seconds(1);
  EXPECT_EQ(*source.current(), "2");
}

TEST(TokenSource, ReadsAgainWhenTheServerRefusedIt) {
  const HandClock clock;
  int reads = 0;
  TokenSource source([&] { return Result<std::string>(std::to_string(++reads)); }, clock);
  source.current();
  source.expire();
  EXPECT_EQ(*source.current(), "2");
}

TEST(TokenSource, KeepsTheLastGoodOneWhenReadingFails) {
  const HandClock clock;
  int reads = 0;
  TokenSource source(
      [&]() -> Result<std::string> {
        if (++reads == 1) return std::string("good");
        return failure(Kind::kInvalid, "no file");
      },
      clock);
  source.current();
  source.expire();
  EXPECT_EQ(*source.current(), "good");
}

TEST(TokenSource, FailsWhenThereNeverWasOne) {
  const HandClock clock;
  TokenSource source([]() -> Result<std::string> { return failure(Kind::kInvalid, "no file"); },
                     clock);
  EXPECT_EQ(source.current().error().message, "no file");
}

TEST(InCluster, UsesTheServiceAccountAndBracketsIpv6) {
  const testing::TemporaryDirectory account;
  std::ofstream(account.path() / "token") << " abc\n";
  std::ofstream(account.path() / "ca.crt") << testing::Authority().certificate_pem();
  const HandClock clock;
  const auto credentials = load_credentials(
      {.service_host = "fd00::1", .service_port = "443", .account_dir = account.path().string()},
      clock);
  ASSERT_TRUE(credentials) << credentials.error().message;
  EXPECT_EQ(credentials->server.url(), "https://[fd00::1]:443");
  EXPECT_EQ(*credentials->token->current(), "abc");
}

TEST(InCluster, RefusesADamagedAuthorityAtTheStart) {
  const testing::TemporaryDirectory account;
  std::ofstream(account.path() / "token") << "abc";
  std::ofstream(account.path() / "ca.crt") << "damaged";
  const HandClock clock;
  const auto credentials = load_credentials(
      {.service_host = "10.96.0.1", .service_port = "443", .account_dir = account.path().string()},
      clock);
  ASSERT_FALSE(credentials);
  EXPECT_EQ(credentials.error().message, "the certificate authority holds no certificate");
}

TEST(InCluster, SaysWhichFileIsMissing) {
  const testing::TemporaryDirectory account;
  const HandClock clock;
  const std::string dir = account.path().string();
  const auto credentials = load_credentials(
      {.service_host = "10.96.0.1", .service_port = "443", .account_dir = dir}, clock);
  ASSERT_FALSE(credentials);
  EXPECT_EQ(credentials.error().message, "cannot read " + dir + "/ca.crt");
}

}  // namespace
}  // namespace lockstep
